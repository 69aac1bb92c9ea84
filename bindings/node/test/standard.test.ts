import { SandshellSandbox, VfsSandbox } from "../lib/index.js";
import { standard } from "./standard.js";

standard("SandshellSandbox", {
  root: "/workspace",
  create: (files) => SandshellSandbox.create({ files }),
  close: (sandbox) => sandbox.close(),
});

standard("VfsSandbox with absolute paths", {
  root: "",
  create: (initialFiles) => VfsSandbox.create({ initialFiles }),
  close: (sandbox) => sandbox.stop(),
});

standard("VfsSandbox with relative paths", {
  root: ".",
  create: (initialFiles) => VfsSandbox.create({ initialFiles }),
  close: (sandbox) => sandbox.close(),
});
