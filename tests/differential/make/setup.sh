# Files with times apart, oldest first.
mkdir src inc
printf 'a\n' > a.txt; printf 'b\n' > b.txt; printf 'c\n' > c.txt
touch -d '2020-01-01 00:00:00' a.txt
touch -d '2020-01-02 00:00:00' b.txt
touch -d '2020-01-03 00:00:00' c.txt
printf 'one\n' > src/one.in; printf 'two\n' > src/two.in
printf 'INC = included\n' > inc/defs.mk
