/** The behaviours that LangChain's own tests of JavaScript sandboxes check, for any sandbox with that interface. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";

type Content = string | Uint8Array;

export interface Standard {
  readonly id: string;
  execute(command: string): Promise<{ output: string; exitCode: number | null; truncated: boolean }>;
  uploadFiles(files: [string, Uint8Array][]): Promise<{ path: string; error: string | null }[]>;
  downloadFiles(
    paths: string[],
  ): Promise<{ path: string; content: Uint8Array | null; error: string | null }[]>;
  read(path: string, offset?: number, limit?: number): Promise<{ error?: string; content?: Content }>;
  write(path: string, content: string): Promise<{ error?: string; path?: string }>;
  edit(
    path: string,
    old: string,
    text: string,
    all?: boolean,
  ): Promise<{ error?: string; occurrences?: number }>;
  ls(path: string): Promise<{ error?: string; files?: { path: string; is_dir?: boolean }[] }>;
  grep(
    pattern: string,
    path?: string,
    glob?: string | null,
  ): Promise<{ error?: string; matches?: { path: string; line: number; text: string }[] }>;
  glob(
    pattern: string,
    path?: string,
  ): Promise<{ error?: string; files?: { path: string; is_dir?: boolean }[] }>;
}

export interface Setup<T extends Standard> {
  create(initialFiles?: Record<string, string>): Promise<T>;
  close(sandbox: T): Promise<void>;
  /** The directory for files. */
  root: string;
}

export function standard<T extends Standard>(name: string, { create, close, root }: Setup<T>): void {
  describe(name, () => {
    let box: T;
    let last = 0;
    const bytes = (text: string) => new TextEncoder().encode(text);
    const fresh = (path = "") => `${root}/case${++last}${path && `/${path}`}`;
    const output = async (command: string) => (await box.execute(command)).output.trim();
    const content = async (path: string, offset?: number, limit?: number) =>
      String((await box.read(path, offset, limit)).content ?? "");
    const put = async (directory: string, files: Record<string, string>) => {
      for (const [path, text] of Object.entries(files)) await box.write(`${directory}/${path}`, text);
    };
    const listed = async (directory: string) => {
      const answer = await box.ls(directory);
      expect(answer.error).toBeUndefined();
      return (answer.files ?? []).map(({ path }) => path.replace(/\/$/, ""));
    };
    const globbed = async (pattern: string, directory: string) => {
      const answer = await box.glob(pattern, directory);
      expect(answer.error).toBeUndefined();
      return answer.files ?? [];
    };
    const grepped = async (pattern: string, directory: string, glob?: string) => {
      const answer = await box.grep(pattern, directory, glob ?? null);
      expect(answer.error).toBeUndefined();
      return answer.matches ?? [];
    };

    beforeAll(async () => {
      box = await create();
    });
    afterAll(() => close(box));

    it("has an id", () => expect(box.id.length).toBeGreaterThan(0));

    describe("execute", () => {
      it.each([
        ["an echo", 'echo "hello"', "hello", 0],
        ["a status", "exit 42", "", 42],
        ["several lines", 'echo "line1" && echo "line2" && echo "line3"', "line1\nline2\nline3", 0],
        ["standard error", 'echo "error message" >&2', "error message", 0],
        ["variables", 'export MY_VAR="test_value" && echo $MY_VAR', "test_value", 0],
      ])("%s", async (_, command, expected, exitCode) => {
        const result = await box.execute(command);
        expect([result.output.trim(), result.exitCode, result.truncated]).toEqual([expected, exitCode, false]);
      });

      it("a command that does not exist", async () => {
        expect((await box.execute("nonexistent_command_12345")).exitCode).not.toBe(0);
      });
    });

    describe("transfers", () => {
      it("uploads", async () => {
        const path = fresh("up.txt");
        expect(await box.uploadFiles([[path, bytes("Hello from test file!")]])).toEqual([{ path, error: null }]);
        expect(await output(`cat ${path}`)).toBe("Hello from test file!");
      });

      it("downloads", async () => {
        const path = fresh("down.txt");
        await box.uploadFiles([[path, bytes("Download test content")]]);
        const [answer] = await box.downloadFiles([path]);
        expect(answer?.error).toBeNull();
        expect(new TextDecoder().decode(answer?.content ?? undefined)).toBe("Download test content");
      });

      it("says what is missing", async () => {
        const path = fresh("missing");
        expect(await box.downloadFiles([path])).toEqual([{ path, content: null, error: "file_not_found" }]);
      });

      it("takes several files", async () => {
        const paths = ["1", "2", "3"].map((number) => fresh(number));
        const answers = await box.uploadFiles(paths.map((path, index) => [path, bytes(`Content ${index}\n`)]));
        expect(answers.map(({ error }) => error)).toEqual([null, null, null]);
        expect(await output(`cat ${paths.join(" ")}`)).toBe("Content 0\nContent 1\nContent 2");
      });

      it("harms no bytes", async () => {
        const path = fresh("bytes");
        const all = Uint8Array.from({ length: 256 }, (_, index) => index);
        await box.uploadFiles([[path, all]]);
        const [answer] = await box.downloadFiles([path]);
        expect(Buffer.from(answer?.content ?? []).equals(Buffer.from(all))).toBe(true);
      });
    });

    describe("write", () => {
      it.each([
        ["basic content", "a.txt", "Hello, sandbox!\nLine 2"],
        ["missing parents", "deep/er/a.txt", "Nested"],
        ["special characters", "a.txt", "$HOME `x` \"quoted\" \\n 'single' $(id)"],
        ["unicode", "a.txt", "Hello 👋 世界 Привет"],
      ])("%s", async (_, file, text) => {
        const path = fresh(file);
        const result = await box.write(path, text);
        expect([result.error, result.path]).toEqual([undefined, path]);
        expect(await output(`cat ${path}`)).toBe(text);
      });

      it("over a file that is there", async () => {
        const path = fresh("a.txt");
        await box.write(path, "First content");
        expect((await box.write(path, "Second content")).error).toBeUndefined();
        expect(await output(`cat ${path}`)).toBe("Second content");
      });

      it("nothing", async () => {
        const path = fresh("empty");
        expect((await box.write(path, "")).error).toBeUndefined();
        expect(await output(`[ -f ${path} ] && echo 'exists' || echo 'missing'`)).toBe("exists");
      });

      it("below a path with spaces", async () => {
        const path = fresh("a dir/b c.txt");
        await box.write(path, "spaces");
        expect(await output(`cat '${path}'`)).toBe("spaces");
      });

      it("through slashes in a row", async () => {
        const base = fresh();
        expect((await box.write(`${base}//sub///f.txt`, "slashes")).error).toBeUndefined();
        expect(await output(`cat ${base}/sub/f.txt`)).toBe("slashes");
      });

      it("many lines, and lines of nothing", async () => {
        const path = fresh("long");
        await box.write(path, Array.from({ length: 1000 }, (_, line) => `Line ${line}`).join("\n"));
        expect(await output(`wc -l < ${path}`)).toBe("999");
        await box.write(path, "\n\n\n\n\n");
        expect(await output(`wc -l < ${path}`)).toBe("5");
      });
    });

    describe("read", () => {
      const rows = Array.from({ length: 20 }, (_, row) => `Row_${row + 1}_content`).join("\n");

      it("whole files", async () => {
        const path = fresh("a.txt");
        await box.write(path, "Line 1\nLine 2\nLine 3 👋 世界 Привет");
        expect(await content(path)).toContain("Line 3 👋 世界 Привет");
        expect(await content(path)).toContain("Line 1");
      });

      it("what is not there", async () => {
        expect((await box.read(fresh("no"))).error?.toLowerCase()).toContain("not found");
      });

      it("an empty file", async () => {
        const path = fresh("empty");
        await box.write(path, "");
        expect((await box.read(path)).error).toBeUndefined();
      });

      it.each([
        [5, undefined, "Row_6_content", "Row_1_content"],
        [0, 5, "Row_5_content", "Row_6_content"],
        [10, 5, "Row_15_content", "Row_10_content"],
        [10, 5, "Row_11_content", "Row_16_content"],
      ])("from %s, %s lines", async (offset, limit, present, absent) => {
        const path = fresh("rows");
        await box.write(path, rows);
        expect(await content(path, offset, limit)).toContain(present);
        expect(await content(path, offset, limit)).not.toContain(absent);
      });

      it.each([
        [0, 0],
        [100, 10],
        [20, 10],
      ])("nothing from %s, %s lines", async (offset, limit) => {
        const path = fresh("rows");
        await box.write(path, rows);
        expect(await content(path, offset, limit)).not.toContain("Row_");
      });

      it("long lines", async () => {
        const path = fresh("long");
        await box.write(path, `${"x".repeat(3000)}\nShort line`);
        expect(await content(path)).toContain("Short line");
      });

      it("in pieces", async () => {
        const path = fresh("large");
        const line = (number: number) => `Line_${String(number).padStart(4, "0")}_content`;
        await box.write(path, Array.from({ length: 1000 }, (_, number) => line(number)).join("\n"));
        const second = await content(path, 100, 100);
        expect(second).toContain(line(100));
        expect(second).toContain(line(199));
        expect(second).not.toContain(line(99));
        expect(second).not.toContain(line(200));
      });
    });

    describe("edit", () => {
      it.each([
        ["the only occurrence", "Hello world\nGoodbye world", "Goodbye world", "Farewell world", "Hello world\nFarewell world"],
        ["special characters", "Price: $100.00 [a-z]+", "$100.00 [a-z]+", "$200.00 [0-9]+", "Price: $200.00 [0-9]+"],
        ["several lines", "Line 1\nLine 2\nLine 3", "Line 1\nLine 2", "Combined", "Combined\nLine 3"],
        ["to nothing", "Keep this\nDelete this\nKeep this too", "Delete this\n", "", "Keep this\nKeep this too"],
        ["to the same", "Same text", "Same text", "Same text", "Same text"],
        ["unicode", "Hello 👋 world", "👋", "🌍", "Hello 🌍 world"],
        ["whitespace", "Line1    Line2", "    ", " ", "Line1 Line2"],
        ["long texts", `a${"x".repeat(1000)}b`, "x".repeat(1000), "y".repeat(1000), `a${"y".repeat(1000)}b`],
        ["within a line", "The quick brown fox jumps", "brown fox", "red cat", "The quick red cat jumps"],
        ["between line ends", "Line 1\nLine 2\nLine 3\n", "Line 2", "Modified Line 2", "Line 1\nModified Line 2\nLine 3\n"],
        ["dollar signs", "a", "a", "$& $1 $$", "$& $1 $$"],
      ])("%s", async (_, before, old, text, after) => {
        const path = fresh("a.txt");
        await box.write(path, before);
        const result = await box.edit(path, old, text);
        expect([result.error, result.occurrences]).toEqual([undefined, 1]);
        const [answer] = await box.downloadFiles([path]);
        expect(new TextDecoder().decode(answer?.content ?? undefined)).toBe(after);
      });

      it("several occurrences only when asked to", async () => {
        const path = fresh("a.txt");
        await box.write(path, "apple\nbanana\napple\napple");
        expect((await box.edit(path, "apple", "pear")).error?.toLowerCase()).toContain("multiple");
        expect(await content(path)).not.toContain("pear");
        expect((await box.edit(path, "apple", "pear", true)).occurrences).toBe(3);
        expect(await output(`cat ${path}`)).toBe("pear\nbanana\npear\npear");
      });

      it("nothing that is not there", async () => {
        const path = fresh("a.txt");
        await box.write(path, "text");
        expect((await box.edit(path, "other", "x")).error?.toLowerCase()).toContain("not found");
        expect((await box.edit(fresh("no"), "other", "x")).error?.toLowerCase()).toContain("not found");
      });
    });

    describe("ls", () => {
      it("answers paths below the one asked for", async () => {
        const base = fresh();
        await put(base, { "file.txt": "x" });
        expect(await listed(base)).toEqual([`${base}/file.txt`]);
        expect(await listed(`${base}/`)).toEqual([`${base}/file.txt`]);
      });

      it("files, hidden ones and directories", async () => {
        const base = fresh();
        await put(base, { "file1.txt": "1", ".hidden": "2", "sub/f": "3" });
        expect((await listed(base)).sort()).toEqual([`${base}/.hidden`, `${base}/file1.txt`, `${base}/sub`]);
        const entries = (await box.ls(base)).files ?? [];
        expect(entries.filter((entry) => entry.is_dir).map(({ path }) => path)).toEqual([`${base}/sub/`]);
      });

      it("nothing, in an empty directory and in none", async () => {
        const base = fresh();
        await box.execute(`mkdir -p '${base}'`);
        expect(await box.ls(base)).toEqual({ files: [] });
        expect(await box.ls(fresh())).toEqual({ files: [] });
      });

      it.each([["file with spaces.txt"], ["测试.txt"], ["файл.txt"], ["file(1).txt"], ["file[2].txt"], ["file-3.txt"]])(
        "%s",
        async (file) => {
          const base = fresh();
          await put(base, { [file]: "x" });
          expect(await listed(base)).toEqual([`${base}/${file}`]);
        },
      );

      it("many", async () => {
        const base = fresh();
        await box.execute(
          `mkdir -p '${base}' && cd '${base}' && for i in $(seq 0 49); do echo 'content' > file_$(printf '%03d' $i).txt; done`,
        );
        const paths = await listed(base);
        expect([paths.length, paths[0], paths[49]]).toEqual([50, `${base}/file_000.txt`, `${base}/file_049.txt`]);
      });
    });

    describe("grep", () => {
      it("finds text in several files, below directories too", async () => {
        const base = fresh();
        await put(base, { "file1.txt": "Hello world", "sub/file2.txt": "Hello there", "file3.txt": "Goodbye" });
        expect((await grepped("Hello", base)).map(({ path }) => path).sort()).toEqual([
          `${base}/file1.txt`,
          `${base}/sub/file2.txt`,
        ]);
      });

      it("filters by name", async () => {
        const base = fresh();
        await put(base, { "test.txt": "pattern", "test.py": "pattern", "sub/test.md": "pattern" });
        expect((await grepped("pattern", base, "*.py")).map(({ path }) => path)).toEqual([`${base}/test.py`]);
      });

      it("answers lines and their numbers", async () => {
        const base = fresh();
        await put(base, { f: "fruit: a\nno\nfruit: b\nno\nfruit: c" });
        expect((await grepped("fruit", base)).map(({ line }) => line)).toEqual([1, 3, 5]);
        await put(base, { g: Array.from({ length: 100 }, (_, line) => `Line ${line + 1}`).join("\n") });
        expect(await grepped("Line 50", base)).toEqual([{ path: `${base}/g`, line: 50, text: "Line 50" }]);
      });

      it.each([
        ["test123", "test123\ntest[0-9]", 1],
        ["世界", "Hello 世界\nother", 1],
        ["Hello", "Hello\nhello\nHELLO", 1],
        ["$100", "Price: $100\nPrice: 100", 1],
        ["[a-z]*", "Pattern: [a-z]*\nabc", 1],
        ["missing", "nothing", 0],
      ])("%s as it is", async (pattern, text, count) => {
        const base = fresh();
        await put(base, { f: text });
        expect((await grepped(pattern, base)).length).toBe(count);
      });

      it("nothing in an empty directory", async () => {
        const base = fresh();
        await box.execute(`mkdir -p '${base}'`);
        expect(await grepped("x", base)).toEqual([]);
      });
    });

    describe("glob", () => {
      const files = {
        "file1.txt": "",
        "file2.txt": "",
        "file10.txt": "",
        "test.py": "",
        ".hidden1": "",
        "sub/nested1.txt": "",
        "sub/sub/deep.txt": "",
      };

      it.each([
        ["*.txt", ["file1.txt", "file10.txt", "file2.txt"]],
        ["*.py", ["test.py"]],
        ["**/*.txt", ["file1.txt", "file10.txt", "file2.txt", "sub/nested1.txt", "sub/sub/deep.txt"]],
        ["**/deep.txt", ["sub/sub/deep.txt"]],
        ["file[1-2].txt", ["file1.txt", "file2.txt"]],
        ["file?.txt", ["file1.txt", "file2.txt"]],
        [".hidden*", [".hidden1"]],
        ["*.md", []],
      ])("%s", async (pattern, expected) => {
        const base = fresh();
        await put(base, files);
        expect((await globbed(pattern, base)).map(({ path }) => path)).toEqual(expected);
      });

      it("directories among the files", async () => {
        const base = fresh();
        await put(base, { "dir1/f": "", "dir2/f": "", "file.txt": "" });
        const found = await globbed("*", base);
        expect(found.map(({ is_dir }) => is_dir)).toEqual([true, true, false]);
      });
    });

    describe("initial files", () => {
      it("are there for commands and operations", async () => {
        const [top, deep, script] = [`${root}/initial.txt`, `${root}/src/a/b/deep.txt`, `${root}/run.sh`];
        const made = await create({ [top]: "Hello!", [deep]: "Nested", [script]: "echo from the script\n" });
        try {
          expect((await made.execute(`cat ${top} ${deep}; sh ${script}`)).output).toBe("Hello!Nestedfrom the script\n");
          expect(String((await made.read(deep)).content)).toContain("Nested");
          const [answer] = await made.downloadFiles([top]);
          expect(new TextDecoder().decode(answer?.content ?? undefined)).toBe("Hello!");
          expect((await made.ls(`${root}/src/a/b`)).files?.map(({ path }) => path)).toEqual([deep]);
        } finally {
          await close(made);
        }
      });

      it("may be none", async () => {
        const made = await create({});
        expect((await made.execute('echo "Works!"')).output).toBe("Works!\n");
        await close(made);
      });
    });

    it("a whole workflow", async () => {
      const base = fresh();
      await put(base, { "root.txt": "r", "subdir1/a.txt": "a", "subdir2/b.txt": "b" });
      expect((await listed(base)).sort()).toEqual([`${base}/root.txt`, `${base}/subdir1`, `${base}/subdir2`]);
      expect((await globbed("**/*.txt", base)).length).toBe(3);
      await box.edit(`${base}/root.txt`, "r", "Modified content");
      expect(await content(`${base}/root.txt`)).toContain("Modified content");
    });
  });
}
