# What people do with sqlite3, with what it answers. Run in an empty directory.
export HOME=$PWD TZ=UTC LC_ALL=C

q=\'

# Runs a command and shows it with its status.
run() {
    printf '$ %s\n' "$1"
    eval "$1" 2>&1 </dev/null
    local status=$?
    [ $status = 0 ] || printf 'status %s\n' "$status"
}

run 'sqlite3 --version | cut -d" " -f1'
run 'sqlite3 a.db "create table t(id integer primary key, name text, x real); insert into t(name, x) values(\"one\", 1.5), (\"two\", null)"'
run 'sqlite3 a.db "select * from t"'
run 'sqlite3 -header -csv a.db "select * from t"'
run 'sqlite3 -json a.db "select * from t"; sqlite3 -column -header a.db "select * from t"; sqlite3 -box a.db "select id, name from t"'
run 'sqlite3 a.db .schema .tables .indexes'
run 'sqlite3 a.db .dump'
run 'sqlite3 a.db .dump | sqlite3 b.db; sqlite3 b.db "select count(*), sum(x) from t"'
run 'printf "a,b\n1,2\n3,4\n" > in.csv; sqlite3 b.db ".mode csv" ".import in.csv imported" "select sum(a), typeof(b) from imported"'
run 'sqlite3 b.db "select broken"; sqlite3 b.db "insert into t(id) values(1)"; sqlite3 /no/such/dir/x.db "select 1; create table t(a)"'
run 'printf "begin;\ninsert into t(name) values(${q}three${q});\nrollback;\nselect count(*) from t;\n" | sqlite3 a.db'
run 'sqlite3 a.db "with recursive n(i) as (select 1 union all select i+1 from n where i < 100000) select sum(i) from n"'
run 'sqlite3 a.db "create virtual table f using fts5(body); insert into f values(\"the quick fox\"), (\"a lazy dog\"); select * from f where f match \"fox\""'
run 'sqlite3 a.db "create virtual table g using fts3(body); insert into g values(\"quick\"); select snippet(g) from g where body match \"quick\""'
run 'sqlite3 a.db "create virtual table r using rtree(id, a, b); insert into r values(1, 0, 5); select id from r where a < 1"'
run 'sqlite3 a.db "select json_extract(${q}{\"a\":[1,2]}${q}, ${q}\$.a[1]${q}), json_group_array(id) from t"'
run 'sqlite3 a.db "select date(0, ${q}unixepoch${q}), strftime(${q}%Y${q}, ${q}2020-05-05${q}), datetime(1700000000, ${q}unixepoch${q}, ${q}localtime${q})"'
run 'sqlite3 a.db "delete from t order by id limit 1; select id from t; vacuum; pragma integrity_check"'
run 'sqlite3 a.db "pragma journal_mode=truncate; pragma page_size; pragma compile_options" | grep -e truncate -e 4096 -e JSON'
run 'echo file > f.txt; sqlite3 -A -c -f z.zip f.txt 2>/dev/null; sqlite3 :memory: "create table z(d); insert into z values(readfile(${q}f.txt${q})); select cast(d as text), length(d) from z; select writefile(${q}g.txt${q}, ${q}out${q})"; cat g.txt'
run 'sqlite3 a.db ".once out.txt" "select 1, 2" ".shell cat out.txt" ".once |tr 1 9" "select 11"'
run 'sqlite3 a.db ".backup copy.db" && sqlite3 copy.db "select count(*) from sqlite_master"; sqlite3 a.db .sha3sum | wc -c'
run 'sqlite3 "file:a.db?mode=ro" "delete from t"'
run 'for i in 1 2 3 4; do (for j in $(seq 10); do sqlite3 -cmd ".timeout 20000" many.db "create table if not exists t(a); insert into t values($i)"; done) & done; wait; sqlite3 many.db "select a, count(*) from t group by a"'
run '(echo "begin immediate; insert into t values(9);"; sleep 1; echo "commit;") | sqlite3 many.db & sleep 0.4; sqlite3 many.db "insert into t values(8)"; wait; sqlite3 many.db "select a, count(*) from t where a > 5 group by a"'
run 'sqlite3 :memory: "create table r(x); insert into r values(1e100), (-1e19), (1e18), (0.1), (-0.0)" ".dump r" ".mode insert" "select x from r"'
run 'sqlite3 :memory: "select sin(0), sqrt(2), pow(2, 10), log(100), ln(1), ceil(1.2), floor(-1.2), pi(), mod(7, 3), trunc(2.7)"'
run 'sqlite3 :memory: "select 1; select nope"; printf "select 1;\nselect nope;\nselect 2;\n" | sqlite3'
run 'sqlite3 a.db .recover; sqlite3 a.db .dbinfo; sqlite3 a.db ".help dbinfo"'
