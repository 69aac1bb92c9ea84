printf 'apple\nbanana\ncherry\ndate\nelder\n' > words
seq 10 > nums
printf 'the foo The\n\nstart\n in one\n in two\nend\n\nother foo foo\n' > text
printf 'a,b,"c"\nname,x,1\nlast,y,2\n' > csv
printf 'one \\\ntwo \\\nthree\nfour\n' > cont
printf 'a\na\nb\nc\nc\nc\n' > dups
printf 'a\0b\001\377\t\\\nb\n' > bin
printf 'x\nno newline' > noeol
: > empty
ln -s words link
mkdir d
printf '# a comment\n/an/ {\n  s/a/A/g\n  a\\\n   appended\\\nlines\n}\n5d\n' > prog.sed
printf 'p\n\n  s/a/b\np\n' > bad.sed
printf 's/a/1/\na text' > noeol.sed
printf '#n\np\n' > hashn.sed
printf '#!/usr/bin/sed -nf\n/a/p\n' > run.sed; chmod 755 run.sed
printf 'secret\n' > unreadable; chmod 000 unreadable
