-- A typical job: rows from a CSV file, an index, a report, the result as JSON.
.mode csv
.import rows.csv sales
create index by_shop on sales(shop);
.mode json
select shop, count(*) as times, sum(amount) as amount, round(avg(amount), 2) as mean from sales group by shop order by amount desc limit 20;
select substr(day, 1, 7) as month, sum(amount) as amount from sales where shop < 'shop-40' group by month order by month;
select a.shop, a.day, a.amount from sales a join (select shop, max(cast(amount as integer)) as most from sales group by shop) b
  on a.shop = b.shop and a.amount = b.most order by a.amount desc, a.day limit 10;
