cat > emp.txt <<'X'
Beth	4.00	0
Dan	3.75	0
Kathy	4.00	10
Mark	5.00	20
Mary	5.50	22
Susie	4.25	18
X
cat > data.csv <<'X'
id,name,dept,salary
1,Alice,Engineering,5000
2,Bob,Sales,3200
3,Carol,Engineering,6100
4,Dave,Marketing,2900
5,Eve,Sales,4100
X
cat > quoted.csv <<'X'
1,"Smith, John",42
2,"Jones",17
3,,""
X
cat > passwd <<'X'
root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
user:x:1000:1000:User,,,:/home/user:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
X
cat > log.txt <<'X'
2024-01-15 10:23:45 ERROR [db] connection failed: timeout
2024-01-15 10:24:00 INFO [web] GET /index.html 200 0.123
2024-01-15 10:24:01 WARN [web] slow response 2.5
2024-01-16 08:00:00 ERROR [db] connection failed: refused
2024-01-16 09:12:33 INFO [web] GET /about.html 404 0.010
2024-01-17 23:59:59 DEBUG [app] done
X
printf 'one\ntwo\nthree\n\nfour\nfive\n\n\n\nsix\n' > para.txt
printf 'héllo wörld\nnaïve café\n日本語 テスト\n' > utf8.txt
printf '3\n10\n-2\n1.5\n1e2\n+7\n0x1f\nabc\n\n 4 \n' > nums.txt
printf 'a b c' > nonl.txt
printf 'a b\r\nc d\r\n' > crlf.txt
printf 'a\0b c\0d\n' > nul.txt
printf 'caf\xe9 \xff\xfe x\n' > latin1.txt
: > empty.txt
mkdir dir
printf 'x y\n' > 'dir/sp ace'
printf 'k1 1\nk2 2\nk3 3\n' > left
printf 'k1 a\nk3 c\nk4 d\n' > right
printf 'the quick brown fox jumps over the lazy dog the end\nThe fox\n' > words.txt
printf 'function twice(x) { return 2 * x }\n' > lib.awk
printf '@include "lib.awk"\nBEGIN { print twice(21) }\n' > main.awk
printf '#!/usr/bin/awk -f\n# sums\n{ s += $3 }\nEND { print "sum", s }\n' > sum.awk
printf 'BEGIN { print "line 1"\n  x = \n}\n' > broken.awk
printf '12345abc  9\n67890defgh10\n' > fixed.txt
