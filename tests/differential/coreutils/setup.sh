# The files that the cases work on.
umask 022
mkdir -p d/sub/deep e names
printf 'alpha\nbeta\ngamma\n' > a.txt
printf 'one two three\nfour five six\n\nseven\n' > b.txt
printf '10\n9\n2\n1\n33\n' > nums
printf 'x:1:b\ny:3:a\nz:2:c\n' > table
printf 'x' > d/f1; printf '%01500d' 0 > d/f2; : > d/sub/empty; : > d/sub/deep/leaf
: > 'names/a b'; : > "names/it's"; : > $'names/new\nline'; : > names/plain; : > 'names/q"q'; : > names/.hid; : > names/x~
: > names/é; : > names/v1.10; : > names/v1.9; : > names/v1.2.tar.gz
ln -s a.txt link; ln -s nowhere dangling; ln -s d dirlink; ln a.txt hard
mkfifo fifo
printf '#!/bin/sh\necho hi\n' > run.sh; chmod 755 run.sh
chmod 640 b.txt; chmod 1777 e; chmod 4755 d/f2
touch -d '2020-01-02 03:04:05.123456789' a.txt; touch -d '2021-05-06 07:08:09' b.txt nums table run.sh
touch -d '2019-12-31 23:59:59' d/f1; touch -d '2024-02-29 12:00:00' d/f2
touch -h -d '2022-01-01' link dangling dirlink; touch -d '2022-02-02' fifo e names/* names/.hid names
touch -d '2022-03-03' d/sub/empty d/sub/deep/leaf d/sub/deep d/sub d
