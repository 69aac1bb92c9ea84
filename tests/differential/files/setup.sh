# The files that the cases of the file utilities work on.
umask 022
mkdir -p t/sub/deep t/other e
printf '%01500d' 0 > t/f1; printf '%05000d' 0 > t/sub/f2; : > t/sub/deep/empty; printf 'x' > t/other/f3.log
ln -s f1 t/sym; ln -s t tlink
printf 'a\n' > a; printf 'b\n' > b; printf '#!/bin/sh\necho run "$@"\n' > run.sh; chmod 755 run.sh; printf 'x\n' > noexec
