-- A heavy job: half a million rows written to a file, two indexes, a join, windows.
pragma cache_size = -65536;
begin;
create table a(id integer primary key, k integer, name text, x real);
insert into a with recursive n(i) as (select 1 union all select i + 1 from n where i < 500000)
  select i, (i * 7919) % 10007, 'name-' || ((i * 31) % 50021), i / 3.0 from n;
commit;
create index a_k on a(k);
create index a_name on a(name);
select count(*), sum(b.x - c.x) from a b join a c on c.k = b.k and c.id > b.id where b.k < 900;
select max(r), sum(total) from (
  select row_number() over (partition by k order by x desc) as r, sum(x) over (partition by k order by id) as total from a);
update a set x = x + 1 where k % 3 = 0;
delete from a where name like 'name-1%';
select count(*), sum(length(name)) from a;
