# A heavy job: what the interpreter itself does. Numbers, calls, hashes, strings, sorting, patterns.
use strict;
use warnings;

sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
my ($sum, $state, %seen) = (0, 1);
$sum += $_ * $_ % 7 for 1 .. 2_000_000;
for (1 .. 300_000) {
    $state = ($state * 1103515245 + 12345) % 2147483648;
    $seen{ 'w' . $state % 5003 } .= chr(97 + $state % 26);
}
my @long = sort { length $seen{$b} <=> length $seen{$a} || $a cmp $b } keys %seen;
my $text = join ' ', map { "$_=$seen{$_}" } @long;
my $found = () = $text =~ /\b(w\d+)=(?=[a-m]*n)/g;
(my $changed = $text) =~ s/([a-z])(\d)/$2$1/g;
die unless fib(22) == 17711 && $found && length $changed == length $text;
