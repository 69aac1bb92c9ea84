printf 'apple 3\nbanana 12\ncherry 7\n\nApple 10\n' > fruit
printf 'a:b:c\n1:2:3\n x : y : z \n' > fields
printf 'no newline' > bare
: > empty
mkdir sub
printf 'inner\n' > sub/one.txt
printf 'in two\n' > sub/two.txt
