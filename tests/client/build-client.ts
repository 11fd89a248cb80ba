/** The client as it is published: compiled as `npm run build` does, into a folder of its own. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

export interface BuiltClient extends AsyncDisposable {
  readonly folder: string
  /** Of its entry. */
  readonly code: string
  readonly types: string
}

export async function buildClient(): Promise<BuiltClient> {
  const built = await createTemporaryFolder()
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc")
  const project = join(ROOT, "packages/client/tsconfig.build.json")
  await promisify(execFile)(process.execPath, [compiler, "-p", project, "--outDir", built.path])
  return {
    folder: built.path,
    code: join(built.path, "index.js"),
    types: join(built.path, "index.d.ts"),
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}
