# A typical job: a log is read by lines, matched, counted, and printed sorted.
use strict;
use warnings;

my (%status, %path, $bytes);
open my $log, '<', 'access.log' or die $!;
while (<$log>) {
    next unless m{^(\S+) \S+ \S+ \[([^\]]+)\] "(?:GET|POST) (\S+) [^"]*" (\d{3}) (\d+)};
    $status{$4}++;
    $path{$3}{$1}++;
    $bytes += $5;
}
print "$_ $status{$_}\n" for sort keys %status;
for my $path (sort { keys %{ $path{$b} } <=> keys %{ $path{$a} } || $a cmp $b } keys %path) {
    printf "%-40s %6d\n", $path, scalar keys %{ $path{$path} };
}
print "$bytes\n";
