import os, time
for zone in ("America/New_York", "Asia/Tokyo", "Europe/London", "Australia/Lord_Howe", "Europe/Dublin", "Asia/Kolkata", ":Asia/Tokyo",
             "JST-9", "<+03>-3", "XXX+3:30", "UTC0", "Foo/Bar", "nonsense", "America/Sao_Paulo"):
    os.environ["TZ"] = zone
    time.tzset()
    print(zone, time.tzname, time.timezone, time.altzone, time.daylight)
    for moment in (-3e9, -1e9, 0, 1e9, 1.72e9, 1.73e9, 4e9, 2e10):
        local = time.localtime(moment)
        print(tuple(local), local.tm_zone, local.tm_gmtoff, time.strftime("%Z %z", local))
    for day in ((2024, 7, 1), (2024, 1, 1)):
        print([time.mktime((*day, 0, 0, 0, 0, 0, dst)) for dst in (-1, 0, 1)])
del os.environ["TZ"]
---
import datetime, os, time
os.environ["TZ"] = "Europe/Berlin"
time.tzset()
for year in 1945, 1980, 2024, 2037, 2100, 2400, 3000:
    for month in 1, 3, 6, 10:
        moment = datetime.datetime(year, month, 30, 12).astimezone()
        print(moment.isoformat(), moment.tzname(), moment.timestamp())
print(datetime.datetime.fromtimestamp(1711846800), datetime.datetime.fromtimestamp(1711846799))
print(time.mktime((2024, 3, 31, 2, 30, 0, 0, 0, -1)), time.ctime(1.7e9), time.asctime(time.localtime(1.75e9)))
---
#sh
TZ=Asia/Tokyo python3 -c 'import datetime; print(datetime.datetime.fromtimestamp(1.7e9), datetime.datetime.fromtimestamp(1.7e9).astimezone().tzname())'
TZ=America/New_York python3 -c 'import time; print(time.localtime(1.7e9)[:6], time.tzname)'
TZ= python3 -c 'import time; print(time.localtime(1.7e9)[:6], time.tzname)'
env -u TZ python3 -c 'import logging, time; print(time.strftime("%Z", time.localtime(0)))'
