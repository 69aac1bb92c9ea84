# The files that the cases of the inspecting utilities work on.
umask 022
printf 'hello world, this is\0\377\n' > h
printf 'alpha\nbeta\ngamma\n' > a
printf 'one two three\nfour five six\n\nseven\n' > b
printf 'no newline at end' > noeol
: > empty
printf 'h\303\251llo w\303\266rld\n\346\227\245\346\234\254\350\252\236 text\nna\303\257ve\n' > utf8
printf 'bad\377\376utf\303\nsecond line\n' > latin
printf '\0\1\2\177\200\377\n' > bin
printf 'one\r\ntwo\r\n' > crlf
for i in {0..255}; do printf "\\x$(printf %x $i)"; done > all
head -c 100 /dev/zero > zeros
seq 1 40 > nums
printf 'name,qty,price\napple,3,1.5\nbanana,10,22\n,,\nfig,,7\n' > csv
printf 'id parent name\n' > head
printf '1 0 root\n2 1 bin\n3 1 etc\n4 2 ls\n5 3 passwd\n6 9 lost\n' > tree
printf 'h\0e\0l\0l\0o\0\0\0x\0' > u16
printf '\177ELF\2\1\1\0lib.so.6\0\0printf\0ab\0main.c\0\1\2GCC: (Debian) 12\0' > elf
mkdir -p d/sub/deep d/.hid d/empty
printf 'x\n' > d/f.txt; printf 'int main;\n' > d/sub/m.c; printf 'abc' > d/sub/deep/n.txt; printf x > d/.hid/s; printf y > d/.dot
ln -s f.txt d/link; ln -s nope d/broken; ln -s sub d/dirlink; chmod +x d/f.txt
touch -d '2020-01-02 03:04:05' d/f.txt d/sub/m.c
