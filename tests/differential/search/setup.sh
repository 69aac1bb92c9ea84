# Makes the files that the cases work on, in the working directory.
umask 022
printf 'foo\nbar\nfoobar\n' > a
printf 'foo\0bar\n' > nul
printf 'x\nfoo\xff\nfoo\n' > latin
printf 'foo' > noeol
printf '' > empty
printf 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n' > n10
printf 'The quick brown fox\njumps over the lazy dog\nthe the\nTHE END\nword_word word-word\nfoo.bar foo+bar (foo) [foo] {foo} foo*\n\ttab\n a b  c\n\nlast line\n' > text
printf 'é1\nÉcole\nstraße\nnaïve café\nabc\n日本語 text\n' > utf8
printf 'a\0b\0foo\nbar\0' > zero
printf 'foo\r\nbar\r\n' > crlf
printf 'foo\nbar\n' > pats
printf '\nfoo\n\n' > blanks
printf 'aaa\nabab\nabcabc\nxyzzy\nnoon\nabba\n1221\n' > rep
printf 'fn main() {\n    println!("hi");\n}\n\npub fn run(x: u32) -> u32 {\n    x + 1\n}\n' > main.rs
printf '# TODO: fix\nx = 10\ny = 0x1F\nemail: joe@example.com, ann@test.org\nip 192.168.0.1 and 10.0.0.256\n2023-01-15 2024-12-31\n' > misc
mkdir -p d/sub/deep d/.hid d/e 'd/sp ace'
printf 'foo in d\n' > d/f1.txt
printf 'foo in c\nnothing\n' > d/f2.c
printf 'int foo;\n' > d/sub/f3.h
printf 'deep foo\nbar\n' > d/sub/deep/f4.txt
printf 'hidden foo\n' > d/.hid/f5
printf 'foo\0\n' > d/bin.o
printf 'space foo\n' > 'd/sp ace/f 6'
: > d/e/empty.txt
ln -s ../a d/link
ln -s nowhere d/broken
ln -s sub d/dirlink
chmod 755 d/f2.c; chmod 600 d/f1.txt; chmod 4711 d/sub/f3.h
mkfifo d/fifo
ln a hard
touch -d '2020-01-02 03:04:05.5 UTC' a d/f1.txt
touch -d '2021-06-07 08:09:10 UTC' d/f2.c
touch -d '2022-01-01 00:00:00 UTC' d/sub d/sub/f3.h
touch -h -d '2019-01-01 00:00:00 UTC' d/link d/broken d/dirlink
dd if=/dev/zero bs=1000 count=5 2>/dev/null | tr '\0' 'z' > d/e/big5000
touch -d '2023-03-03 00:00:00 UTC' d/e/big5000
