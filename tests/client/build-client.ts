/**
 * The client as it is published: compiled as `npm run build` does, into a folder of its own. Once a process,
 * since compiling takes longer than what is done with it; the folder goes with the process.
 */
import { execFile } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

export interface BuiltClient {
  readonly folder: string
  /** The declarations of its entry. */
  readonly types: string
}

let built: Promise<BuiltClient> | undefined

export function buildClient(): Promise<BuiltClient> {
  return (built ??= build())
}

async function build(): Promise<BuiltClient> {
  const { path: folder } = await createTemporaryFolder()
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc")
  const project = join(ROOT, "packages/client/tsconfig.build.json")
  await promisify(execFile)(process.execPath, [compiler, "-p", project, "--outDir", folder])
  return { folder, types: join(folder, "index.d.ts") }
}
