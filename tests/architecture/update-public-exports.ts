/** Writes the list of public exports anew. Run it on purpose: the list is what we promise. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { LIST, readPublicExports } from "./public-exports.ts"
import { ROOT } from "./workspaces.ts"

writeFileSync(LIST, `${JSON.stringify(readPublicExports(), null, 2)}\n`)
const oxfmt = join(ROOT, "node_modules/oxfmt/bin/oxfmt")
const { status } = spawnSync(process.execPath, [oxfmt, LIST], { cwd: ROOT, stdio: "inherit" })
process.exitCode = status ?? 1
