# What people do with perl, with what it answers. Run in an empty directory.
export LC_ALL=C TZ=UTC PERL5LIB= PERL_UNICODE=
unset PERL5OPT

run() {
    printf '$ %s\n' "$1"
    eval "$1" 2>&1 </dev/null
    local status=$?
    [ $status = 0 ] || printf 'status %s\n' "$status"
}

printf 'one 1\ntwo 2\nthree 3\nfour 4\n' > lines
printf 'name,size\na,10\nb,20\n' > table.csv
run 'perl -e "print 6 * 7, qq{\n}"'
run "perl -ne 'print if /o/' lines"
run "perl -pe 's/(\w+) (\d+)/\$2 \$1/' lines"
run "perl -i.bak -pe 's/one/ONE/' lines; cat lines lines.bak"
run "perl -lane 'print \$F[1]; END { print \$. }' lines"
run "perl -F, -lane 'next if \$. == 1; \$s += \$F[1]; END { print \$s }' table.csv"
run "perl -0777 -ne 'print length, qq{\n}' lines"
run "perl -l -0040 -ne 'print' lines"
run "perl -MList::Util=sum,max,first,shuffle,uniq -E 'say sum 1..10; say max 3, 9, 2; say first { \$_ > 3 } 1..9; say join q{,}, uniq qw(a b a)'"
run "perl -MPOSIX=floor,ceil,strftime -E 'say floor(-1.5), ceil(1.2); say strftime q{%Y-%m-%d %H:%M:%S}, gmtime 86400'"
run "perl -MData::Dumper -e '\$Data::Dumper::Sortkeys = 1; print Dumper({ a => [1, { b => undef }], c => \\\\\"x\" })'"
run "perl -MJSON::PP -E 'say JSON::PP->new->canonical->pretty->encode({ a => [1, 2.5, q{x}], b => JSON::PP::true })'"
run "perl -MMIME::Base64 -MDigest::MD5=md5_hex -MDigest::SHA=sha1_hex,sha256_hex -E 'print encode_base64(q{hello}); say md5_hex(q{a}); say sha1_hex(q{a}); say sha256_hex(q{a})'"
run "perl -MEncode -E 'my \$t = decode(q{UTF-8}, qq{\xc3\xa9\xe2\x82\xac}); say length \$t; say join q{ }, map { sprintf q{%x}, ord } split //, \$t; print encode(q{UTF-16LE}, \$t)' | od -An -c"
run "perl -MStorable=dclone,freeze,thaw -E 'my \$d = thaw freeze { a => [1..3] }; say \$d->{a}[2]; say dclone([7])->[0]'"
run "perl -MTime::Local -E 'say timegm(0, 0, 0, 1, 0, 2000)'"
run "perl -MFile::Find -E 'find(sub { say \$File::Find::name if -f }, q{.})' | sort"
run "perl -MFile::Temp=tempfile -MFile::Basename -MFile::Spec -E 'my (\$h, \$n) = tempfile(UNLINK => 1); say -e \$n ? 1 : 0; say basename q{/a/b.c}; say File::Spec->catfile(qw(a b c))'"
run "perl -MGetopt::Long -E 'GetOptions(q{n=i} => \\my \$n, q{v} => \\my \$v); say qq{\$n \$v @ARGV}' -- -n 4 -v rest"
run "perl -E 'say for sort { \$a <=> \$b } 10, 9, 2; say join q{,}, map { \$_ ** 2 } grep { \$_ % 2 } 1..5'"
run "perl -E 'my %h = (b => 2, a => 1); say qq{\$_=\$h{\$_}} for sort keys %h; say scalar %h; delete \$h{a}; say exists \$h{a} ? 1 : 0'"
run "perl -E 'say 2**53, q{ }, 9223372036854775807, q{ }, 18446744073709551615, q{ }, 1e15, q{ }, 1e16, q{ }, 0.1 + 0.2, q{ }, 1/3, q{ }, -7 % 3, q{ }, 10/3, q{ }, 9**9**9, q{ }, -9**9**9'"
run "perl -e 'printf qq{%5.2f|%-8s|%08b|%x|%e|%g|%s|%03d|%+d|%%|%c|%vd\n}, 3.14159, q{ab}, 37, 255, 12345.678, 0.0001, q{s}, 7, 5, 65, q{1.22.333}'"
run "perl -e 'print pack(q{NnCvVwa3A3Z*H4q<d>}, 1, 2, 3, 4, 5, 300, q{ab}, q{c}, q{z}, q{beef}, -2, 1.5)' | od -An -tx1"
run "perl -E 'say join q{,}, unpack q{A1 x1 A2 n}, qq{a bc\0\x05}'"
run "perl -E 'say qq{\$1-\$+{year}} if q{on 2024-05-06} =~ /(?<year>\d{4})-(\d\d)/; say q{aXbX} =~ s/X/-/gr; say join q{|}, split /\s*,\s*/, q{a , b,c}; say q{foobar} =~ /foo(?=bar)/ ? \$& : q{}; (my \$t = q{hello}) =~ tr/a-y/b-z/; say \$t'"
run "perl -E 'my \$r = qr/(\((?:[^()]++|(?1))*\))/; say \$1 if q{x(a(b)c)y} =~ \$r; say join q{,}, q{aaa} =~ /a/g; say pos // q{none}'"
run "perl -Mstrict -Mwarnings -e 'my \$x; print \$x + 1, qq{\n}; print \$undeclared'"
run "perl -we 'my @a = (1, 2); print \$a[5]; print undef . qq{x\n}'"
run "perl -c -e 'print 1'; perl -c -e 'print 1 +'"
run "perl -e 'die qq{gone\n}'; perl -e 'exit 9'"
run "perl -E 'eval { die qq{inner\n} }; print qq{caught \$@}; eval { eval { die q{a} }; say q{in}; die qq{outer\n} }; print \$@; say eval q{1 +} // q{syntax}'"
run "perl -MCarp=croak,confess -E 'sub f { croak q{bad} } eval { f() }; print \$@; sub g { confess q{worse} } eval { g(1) }; print \$@'"
run "perl -E 'local \$SIG{__WARN__} = sub { print qq{W: @_} }; warn qq{hi\n}; local \$SIG{__DIE__} = sub { print qq{D: @_} }; eval { die qq{x\n} }'"
run "perl -E 'package P { sub new { bless { n => \$_[1] }, \$_[0] } sub n { \$_[0]{n} } sub DESTROY { say q{gone } . \$_[0]{n} } } package Q { our @ISA = q{P}; sub n { 10 * \$_[0]->SUPER::n } } { my \$o = Q->new(4); say \$o->n; say ref \$o; say \$o->isa(q{P}) } say q{end}'"
run "perl -E 'use overload; package V { use overload q{+} => sub { V->new(\$_[0]{v} + (ref \$_[1] ? \$_[1]{v} : \$_[1])) }, q{\"\"} => sub { q{<} . \$_[0]{v} . q{>} }; sub new { bless { v => \$_[1] } } } say V->new(2) + V->new(3); say V->new(1) + 5'"
run "perl -E 'sub c { my \$n = shift; sub { \$n++ } } my \$c = c(5); \$c->(); say \$c->(); my @s = map { my \$i = \$_; sub { \$i * 2 } } 1..3; say join q{,}, map { \$_->() } @s'"
run "perl -E 'use feature q{signatures}; no warnings; sub add(\$x, \$y = 10, @r) { \$x + \$y + @r } say add(1); say add(1, 2, 3); use feature q{state}; sub k { state \$n = 0; ++\$n } k; say k'"
run "perl -E 'open my \$f, q{>}, q{out} or die; say \$f \$_ for 1..3; close \$f; open \$f, q{<}, q{out}; my @l = <\$f>; print scalar @l, qq{ \$l[1]}; open \$f, q{<}, q{missing} or say qq{no: \$!}; say -s q{out}; unlink q{out}; say -e q{out} ? 1 : 0'"
run "perl -E 'my \$s; open my \$m, q{>}, \\\\\$s; print \$m q{in memory}; close \$m; say \$s; opendir my \$d, q{.}; say join q{ }, sort grep { !/^\./ } readdir \$d'"
run "perl -E 'mkdir q{d}; symlink q{lines}, q{d/l}; say readlink q{d/l}; rename q{d/l}, q{d/m}; say join q{,}, glob q{d/*}; chmod 0640, q{lines}; printf qq{%o\n}, (stat q{lines})[2] & 07777; say -d q{d} ? q{dir} : q{}; unlink q{d/m}; rmdir q{d} or say \$!'"
run "perl -E 'print qx{echo out; exit 3}; say \$? >> 8; system q{exit 4}; say \$? >> 8; system qw(printf %s-%s\\\\n a b); say system(q{/no/such}); say \$!'"
run "perl -e '\$| = 1; my \$p = fork // die; if (!\$p) { print qq{child\n}; exit 7 } waitpid \$p, 0; print \$? >> 8, qq{\n}; for (1..3) { my \$q = fork; if (!\$q) { exit \$_ } waitpid \$q, 0; print \$? >> 8, qq{\n} }'"
run "perl -e 'sub work { my \$p = fork; if (!\$p) { eval { die qq{in child\n} }; print \$@; die qq{out\n} } waitpid \$p, 0; print \$? >> 8, qq{\n} } work(); END { print qq{end\n} }'"
run "perl -e 'my \$p = open(my \$f, q{-|}) // die; if (!\$p) { print qq{from child\n}; exit 5 } print qq{got \$_} while <\$f>; close \$f; print \$? >> 8, qq{\n}'"
run "perl -e 'pipe my \$r, my \$w; if (!fork) { close \$r; print \$w qq{through\n}; exit } close \$w; print <\$r>; wait; print wait, qq{\n}'"
run "perl -e 'open my \$p, q{|-}, q{sort -r} or die; print \$p qq{a\nb\n}; close \$p; open \$p, q{-|}, q{printf}, q{%s\n}, q{x} or die; print <\$p>'"
run "perl -e 'local \$SIG{ALRM} = sub { die qq{alarm\n} }; eval { alarm 1; select undef, undef, undef, 5; }; print \$@; \$SIG{USR1} = sub { print qq{usr1\n} }; kill USR1 => \$\$; \$SIG{TERM} = q{IGNORE}; kill TERM => \$\$; print qq{alive\n}'"
run "perl -MIPC::Open3 -e 'my \$p = open3(my \$i, my \$o, undef, q{tr a-z A-Z}); print \$i qq{up\n}; close \$i; print <\$o>; waitpid \$p, 0'"
run "perl -MTime::HiRes=time,usleep -e 'my \$t = time; usleep 20000; print time - \$t >= 0.02 ? 1 : 0, qq{\n}'"
run "perl -MText::Wrap -e '\$Text::Wrap::columns = 20; print wrap(q{}, q{  }, q{the quick brown fox jumps over}), qq{\n}'"
run "perl -MMath::BigInt -MMath::BigFloat -E 'say Math::BigInt->new(2)->bpow(200); say Math::BigFloat->new(1)->bdiv(3, 30)'"
run "perl -MCompress::Zlib -E 'my \$c = compress(q{a} x 1000); say length uncompress(\$c)'"
run "perl -MUnicode::Normalize -Mutf8 -CS -E 'say length NFD(qq{\x{e9}}); say uc qq{stra\x{df}e}; say qq{\N{GREEK SMALL LETTER ALPHA}} =~ /\p{Greek}/ ? 1 : 0; say fc(q{ABC}) eq fc(q{abc}) ? 1 : 0'"
run "perl -E 'format STDOUT =
@<<<< @>>>>
\$main::a, \$main::b
.
our (\$a, \$b) = (q{x}, 5); write'"
run "perl -MTie::Hash -E 'package T { our @ISA = q{Tie::StdHash}; sub FETCH { uc \$_[0]{\$_[1]} } } tie my %t, q{T}; \$t{a} = q{low}; say \$t{a}'"
run "perl -E 'say join q{,}, (sort { \$b cmp \$a } qw(b c a)), (reverse 1..3); my @a = 1..10; say qq{@a[2..4] \$#a}; say join q{,}, splice @a, 1, 3; say wantarray // q{undef}; say sprintf q{%s}, join q{,}, each @{[7]}'"
run "perl -E 'my \$d = 0; sub deep { my \$n = shift; \$n ? 1 + deep(\$n - 1) : 0 } no warnings; say deep(20000)'"
run "perl -E '(1) x -1; my \$s = q{ab} x 3; say \$s; say q{a} . 1 + 2; say q{10} == 10.0 ? 1 : 0; say q{abc} lt q{abd} ? 1 : 0; say 1 <=> 2; say 0 but 1' ; perl -E 'say q{z}++'"
run "perl -MTest::More -e 'plan tests => 3; ok 1, q{first}; is 2, 2; is_deeply [1, { a => 2 }], [1, { a => 3 }], q{deep}'"
run "perl -V:ivsize -V:d_fork; perl -v | sed -n 2p | cut -d' ' -f1-9"
run "printf '#!/usr/bin/perl -w\nprint \"script @ARGV\\\\n\";\n__END__\nignored' > s.pl; chmod +x s.pl; ./s.pl a b; printf 'print <DATA>;\n__DATA__\nkept\n' | perl -"
run "perl -s -e 'print \$x, qq{\n}' -- -x=5; perl -x -e 1; perl -Z; perl missing.pl; perl -Mno::such -e 1 2>&1 | head -1 | cut -c1-40"
run "perl -d:NoSuch -e 1 2>&1 | head -1 | cut -c1-40; perl -T -e 'system q{ls}' ; perl -E 'no strict; \$\$x = 3; &{q{main::nosuch}}()'"
