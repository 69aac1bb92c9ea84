f() {
  a=1 b=(1 "2 3" [5]=x) c+=d cmd  arg "quoted $x" $(echo   hi;echo there) `back  tick` > out 2>&1 <in {fd}>>x 3<&- 4>&5- <<<"here $x" &>both &>>app >|clob <>rw >&file >& $x <&$y 5<&6- 2>&- <&- >&3
  a && b || c & d; e &
  a | b |& c
  ! a | b
  time -p a | b
  time ! a
  ! time a
  if a; then b; elif c; then d; else e; fi
  if a; then if b; then c; fi; fi
  while a; b; do c; d; done
  until a; do b; done > x 2>&1
  for x in a b "c d"; do e; f; done
  for x; do e; done
  for ((i=0; i<5 ; i++)); do a; done
  for ((;;)) { a; }
  case $x in a|b) c;; (d) e; f;& g) ;;& *) h; esac
  select x in a b; do c; done
  select x; do c; done
  [[ -f x && ! ( a == b* || $c =~ ^a(b|c)$ ) && -n $d ]]
  (( a + b, c++ ))
  ( a; b )
  ( a; b ) > x &
  { a; b; }
  { a; b; } | { c; }
  coproc a b
  coproc N { a; b; }
  function g { a; }
  h() ( a; b )
  i() { a; } > x
  j() if a; then b; fi
  echo {a,b} ~ \
   continued # comment
  echo "$( a;b )" ${x:-$( a;b )} $(( 1+2 )) $[ 1+2 ] <( a;b ) >( c|d )
  a
  [[ x ]]
  [[ ! x ]]
  [[ ( x ) ]]
  [[ a < b ]]
  [[ a && b || c ]]
  [[ a = b ]]
  a=1
  >x
  { a; b & }
  ( a & )
  a; b
  a && { b; c; }
  a && ( b; c ) || d
  while a; do b; done &
  while a; do b & done
  function x-y () { a; }
  $'a\tb' $"loc" 'sq'
  a &
}
declare -f f
f() ( a )
declare -f f
f() if a; then b; fi > x
declare -f f
f() { a; } > x 2>&1
declare -f f
f() for i in a; do b; done
declare -f f
f() [[ a ]]
declare -f f
f() (( a ))
declare -f f
f() case a in b) esac
declare -f f
f() { g() { a; }; h() (b); }
declare -f f
f() { g() { a; }; }
declare -f f
f() { a; g() { a; } > x; b; }
declare -f f
f() { if a; then b & fi; if a; then b & c; fi; }
declare -f f
f() { { { a; }; }; }
declare -f f
f() { ( ( a ); b ); ( a; { b; } ); }
declare -f f
f() { a | while b; do c; done; a && while b; do c; done; a || if b; then c; fi; }
declare -f f
f() { a & b & c; }
declare -f f
f() { a & 
b; }
declare -f f
f() { coproc { a; }; coproc while a; do b; done; coproc N ( a ) > x; }
declare -f f
f() { case a in a) b & ;; c) d; e & ;; esac; }
declare -f f
f() { case a in (a) case b in c) d;; esac;; esac > x; }
declare -f f
f() { time { a; }; ! { a; }; time while a; do b; done; ! ( a ) ; }
declare -f f
f() { for i in $x; { a; }; for i in; do a; done; for i; { a; }; select i in a; { b; }; }
declare -f f
f() { while a & do b; done; if a & then b; fi; while a && b & c; do d; done; }
declare -f f
f() { [[ a && ( b || ! c ) ]] && d; [[ -v x ]] || e;  [[ a == b && c != d ]]; [[ ! -f x ]]; [[ ! ( a && b ) ]]; [[ (a || b) && c ]]; [[ ! ! a ]]; }
declare -f f
f() { (( a )) && b; (( a )) | c; ((a)) > x; ((  a  +  b )); }
declare -f f
f() { for (( i = 0 ; i < 3 ; i++ )) ; do a; done > x; for ((;;)); do a; done; for ((a;;)); do b; done; }
declare -f f
f() { a 2>&1 | b; a |& b; { a; } |& b; a > x |& b; }
declare -f f
f() { if a; then b; elif c; then d; fi; if a; then b; elif c; then d; elif e; then g; else h; fi; }
declare -f f
f() { >x a; a=1 >x; }
declare -f f
f() { select x in a b; do c; d; done; while a; do select x; do b; done; done; }
declare -f f
f() { a 1>x 0<y 2>z 1>>q 1>&2 0<&3 0<&- 1>&- 1<>x 0<>y 3<>x >&- {a}<&- {b}>&1 {c}<<<x {d}<>x {e}>|x 3>|x 3<<<x 3&>x {f}>&1- {g}<&2-; }
declare -f f
__f() { y=$(a
b; c)
}
declare -f __f
__f() { z=$(if a; then b; fi) w=$(a & b)  v=`a  b` u=$( ( a ) ) t=$(a|b && c)
}
declare -f __f
__f() { q=$(while a; do b; c; done)
}
declare -f __f
__f() { s=$(f() { a; }; b) r=$(case x in a) b;; esac)
}
declare -f __f
__f() { a=$(# comment
  echo hi
 )
}
declare -f __f
__f() { b=$(a &) c=$( { a; b; } ) d=$(! a) e=$(time a) h=$( ((a)) ) i=$( [[ a ]] ) j=$(
 a
 b
 ) k=$() l=$(for x in a; do b; done; c) m=$(cat < x > y)
}
declare -f __f
__f() { x=$(cat <<E
inner
E
)
}
declare -f __f
__f() {  y=$(cat <<E
inner
E
b
c)
}
declare -f __f
__f() {  cat <(cat <<E
 x
E
) b
}
declare -f __f
__f() { cat <<E && b || c
x
E
d | e <<E | f
y
E
g
}
declare -f __f
__f() { cat <<E > x &
z
E
a
}
declare -f __f
__f() { while cat <<E
z
E
do a; done
}
declare -f __f
__f() { for i in a; do cat <<E
q
E
done; b
}
declare -f __f
__f() { ( cat <<E
q
E
); b
}
declare -f __f
__f() { case a in b) cat <<E;; c) cat <<E
 bb
E
 aa
E
;; esac
}
declare -f __f
__f() { cat <<E; b
c
E
c
}
declare -f __f
__f() { if cat <<-E; then c; fi
	tab
	E

}
declare -f __f
__f() { cat <<'E E' <<F x
a
E E
b
F

}
declare -f __f
__f() { { cat <<E; }
a
E
}
declare -f __f
__f() { cat <<E
a
E

}
declare -f __f
__f() { cat <<"E" | b
a
E

}
declare -f __f
__f() { cat 3<<E {x}<<\E
a
E
b
E

}
declare -f __f
__f() { if a; then cat <<E
b
E
fi; c
}
declare -f __f
__f() { if a; then cat <<E
b
E
else d; fi; c
}
declare -f __f
__f() { a <<E; { b; }; c & d
b
E
}
declare -f __f
__f() { a=(1 $(b;c) [2]=d
e)
}
declare -f __f
__f() { x$(if a
then b
fi)
}
declare -f __f
__f() { ! a & b; ! a
}
declare -f __f
__f() { a && b & c && d; e || f & 
}
declare -f __f
f() {
g() { cat <<E
x
E
}
c
g() { cat >&2 <<E
x
E
}
c
if a; then cat >&2 <<E
x
E
fi
c
if a; then 
if b; then cat <<E
x
E
c
fi
d
fi
if a; then cat <<E
x
E
b
elif c; then d; else
e
fi
f
{ a; cat <<E
x
E
}
g
( cat <<E
x
E
)
h
cat <<E
E
x
cat <<E
E
x > y
cat <<E
E
if a; then b; c; else d > y; fi
e
}
declare -f f
