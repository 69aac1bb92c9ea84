cat > app.yaml <<'END'
# A deployment.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web, tier: "front"}
spec:
  replicas: 3
  template:
    containers:
      - name: nginx
        image: "nginx:1.25"
        ports: [80, 443]
        env:
          - name: DEBUG
            value: "true"
          - {name: EMPTY, value: ''}
      - name: side
        image: busybox
        command: ["sh", "-c", "sleep 1"]
END
cat > types.yaml <<'END'
int: 12
neg: -7
plus: +3
octal: 0o17
old: 017
hex: 0x1F
big: 12345678901234567
float: 1.50
exp: 1e3
small: 1.5e-7
inf: .inf
nan: .NaN
yes: yes
on: on
true: true
False: False
null: null
tilde: ~
empty:
date: 2024-01-31
time: 2024-01-31T10:20:30Z
version: 1.2.3
sexagesimal: 1:30
under: 1_000
str: "12"
single: 'it''s'
quoted: "a\tb\u00e9\n"
END
cat > text.yaml <<'END'
literal: |
  one
    two
  three
keep: |+
  end

strip: |-
  no end
folded: >
  a long
  line

  of text
plain: several
  lines of
  plain text
END
cat > anchors.yaml <<'END'
base: &base
  a: 1
  b: {x: y}
one:
  <<: *base
  a: 2
two:
  <<: [*base, {c: 3}]
list: &l [1, 2]
again: *l
END
printf -- '---\nid: 1\n---\nid: 2\n...\n---\n- 3\n' > docs.yaml
printf '? [a]\n: 1\n' > complex.yaml
printf 'a: [1, 2\nb: 3\n' > broken.yaml
printf 'a: b: c\n' > colons.yaml
printf 'a:\n\t- 1\n' > tab.yaml
printf 'a: *nope\n' > alias.yaml
printf 'a: 089\n' > nine.yaml
printf '# nothing\n' > comment.yaml
printf '' > empty.yaml
printf 'tag: !mine {a: !!str 1, b: !!int "2"}\nref: !Ref Thing\nlist: !!set {x, y}\nbin: !!binary aGk=\n' > tags.yaml
printf '{"a": [1, 2.5, {"b": null}], "c": "d: e"}' > data.json
printf 'services:\n  db:\n    image: postgres:15\n    ports:\n    - "5432:5432"\n  web:\n    image: web\n    depends_on: [db]\n' > compose.yml
printf '.a = 5\n' > prog.jq
printf 'a: 1\nb: two\n' > small.yaml
