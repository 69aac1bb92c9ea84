// A typical job: a JSON file is read, grouped, sorted and written.
const fs = require('node:fs');
const path = require('node:path');

const rows = JSON.parse(fs.readFileSync('rows.json', 'utf8'));
const shops = new Map();
for (const { shop, day, amount, note } of rows) {
  const entry = shops.get(shop) ?? { shop, amount: 0, days: new Set(), words: 0 };
  entry.amount += amount;
  entry.days.add(day);
  entry.words += note.split(/\s+/).length;
  shops.set(shop, entry);
}
const report = [...shops.values()]
  .map(({ days, ...rest }) => ({ ...rest, days: days.size }))
  .sort((a, b) => b.amount - a.amount || a.shop.localeCompare(b.shop));
fs.writeFileSync(path.join(process.argv[2], 'report.json'), JSON.stringify(report, null, 2));
