# Makes the files that the cases work on, in the working directory.
umask 022
printf 'alpha\n' > a
printf 'beta\nbeta\n' > b
: > empty
printf 'hello hello hello hello hello hello\n' > text
mkdir -p d/sub/deep d/.git
printf 'one\n' > d/one.txt
printf 'two\n' > d/two.c
printf 'three\n' > d/sub/three.txt
printf 'four\n' > d/sub/deep/four.o
printf 'ref\n' > d/.git/HEAD
ln -s one.txt d/link
ln d/one.txt d/hard
mkfifo d/pipe
printf '\0\1\2\377bin\r\n' > bin
printf 'space\n' > 'sp ace'
printf 'utf\n' > 'é'
i=0; while [ $i -lt 3000 ]; do echo "line $i of some text that repeats itself"; i=$((i+1)); done > big
n=name; while [ ${#n} -lt 120 ]; do n=$n-longer; done
printf 'long\n' > "d/sub/$n"
chmod 600 d/two.c; chmod 755 d/sub/three.txt; chmod 700 d/sub/deep
touch -d '2020-01-02 03:04:05 UTC' a b d/one.txt text big
find . -newermt '2021-01-01' -exec touch -h -d '2022-03-04 05:06:07 UTC' {} +
