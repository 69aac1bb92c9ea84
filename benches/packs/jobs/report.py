"""A typical job: a JSON file is read, grouped, sorted and written."""

import json
import re
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass
class Shop:
    """What was sold."""

    shop: str
    amount: int = 0
    days: int = 0
    words: int = 0


shops = defaultdict(lambda: [0, set(), 0])
for row in json.loads(Path("rows.json").read_text()):
    entry = shops[row["shop"]]
    entry[0] += row["amount"]
    entry[1].add(row["day"])
    entry[2] += len(re.split(r"\s+", row["note"]))
report = [Shop(shop, amount, len(days), words) for shop, (amount, days, words) in shops.items()]
report.sort(key=lambda shop: (-shop.amount, shop.shop))
Path(sys.argv[1], "report.json").write_text(json.dumps([asdict(shop) for shop in report], indent=2))
