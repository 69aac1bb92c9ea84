# The files that the cases of the text utilities work on.
umask 022
printf 'alpha\nbeta\ngamma\n' > a
printf 'one two three\nfour five six\n\nseven\n' > b
printf 'no newline at end' > noeol
: > empty
printf '10\n9\n2\n1\n33\n' > nums
printf 'x:1:b\ny:3:a\nz:2:c\nnone\n' > table
printf 'a b\tc\n  d  e\n\n\nf\n' > blanks
printf 'a\0b\0c\0c\0' > zero
printf 'one\r\ntwo\r\n' > crlf
printf 'h\xc3\xa9llo w\xc3\xb6rld\n\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e text\nna\xc3\xafve\n' > utf8
printf 'bad\xff\xfeutf\xc3\n' > latin
printf '\000\001\002\177\200\377\n' > bin
printf 'a\na\nb\nA\nc\nc\nc\n' > dups
printf '1 a x\n2 b y\n3 c z\n' > j1
printf '1 p\n3 q\n4 r\n' > j2
seq 1 25 > s25
seq 1 3000 > s3000
printf 'apple 3 1.5K\nbanana 10 2M\ncherry 2 900\ndate 10 1G\napple 1 3\n' > fruit
printf 'file1.txt\nfile10.txt\nfile2.txt\nv1.2.10\nv1.2.9\n' > versions
printf 'Jan 3\nDec 1\nmar 2\nfoo\n' > months
printf 'The quick brown fox jumps over the lazy dog. It was a sunny day, and all was well in the world of animals.\nShort line.\n\n  Indented paragraph starts here and goes on for quite a while so that it has to be broken somewhere.\n' > prose
mkdir d; printf 'x\n' > d/f
