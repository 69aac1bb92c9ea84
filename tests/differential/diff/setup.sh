# Makes the files that the cases work on, in the working directory.
umask 022
printf 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n' > a
printf 'one\n2\nthree\nfour\nfive\nsix\nseven\neight\nnine and a half\nten\neleven\n' > b
cp a same
printf 'one\ntwo' > noeol
printf 'one\ntwo\n' > eol
: > empty
printf 'a\0b\n' > bin1
printf 'a\0c\n' > bin2
printf 'Hello  World\n\n\tindented\ntrailing  \nend\n' > ws1
printf 'hello World\n        indented\ntrailing\n\n\nend\n' > ws2
printf 'x\r\ny\r\nz\r\n' > crlf
printf 'x\ny\nz\n' > lf
printf '#include <stdio.h>\n\nint add(int a, int b)\n{\n\tint c;\n\tc = a + b;\n\treturn c;\n}\n\nstatic void\nshow(int x)\n{\n\tprintf("%%d\\n", x);\n\tputs("");\n\tfflush(stdout);\n}\n\nint main(void)\n{\n\tshow(add(1, 2));\n\treturn 0;\n}\n' > old.c
sed -e 's/a + b/b + a/' -e 's/return 0/return 1/' -e '/fflush/d' old.c > new.c
printf 'aé\nüber\n日本\n' > u1
printf 'aé\nüber alles\n日本語\n' > u2
seq 1 60 > n60
seq 1 60 | sed -e 's/^20$/twenty/' -e '40d' -e '55a inserted' > m60
mkdir -p d1/sub/deep d2/sub/deep d1/only d2/sub2
printf 'x\n' > d1/f; printf 'y\n' > d2/f
printf 'same\n' > d1/g; printf 'same\n' > d2/g
printf '1\n' > d1/sub/s; printf '2\n' > d2/sub/s
printf 'q\n' > d1/sub/deep/t; printf 'q\nr\n' > d2/sub/deep/t
printf 'o\n' > d1/o.txt; printf 'p\n' > d2/p.txt
printf 'l\n' > d1/only/l; printf 'm\n' > d2/sub2/m
printf 'b\0\n' > d1/bin; printf 'c\0\n' > d2/bin
mkdir d1/kind; printf 'file\n' > d2/kind
printf 'one\n2\n' > 'sp ace'; printf 'tab\n' > $'t\tb'; printf 'q\n' > "it's"
printf 'one\ntwo\n1\n2\n3\n4\n5\nsix\nseven\n' > mine
printf 'one\n1\n2\n3\n4\n5\nsix\n' > older
printf 'one\n1\n2\nthree\n4\n5\nSIX\n' > yours
printf 'one\n1\n2\nTHREE\n4\n5\nsix\n' > yours2
find . -exec touch -h -d '2020-01-02 03:04:05.123456789 UTC' {} +
