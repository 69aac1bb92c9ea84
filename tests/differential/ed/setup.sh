# The files that the cases of ed work on.
umask 022
printf 'one\ntwo\nthree\nfour\nfive\n' > f
printf 'a\nb' > noeol
printf 'a\0b\nc' > bin
printf 'x\r\ny\r\n' > crlf
: > empty
