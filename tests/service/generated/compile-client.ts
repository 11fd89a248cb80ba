/**
 * Types generated from a service's document, and programs compiled against them by the project's
 * own TypeScript. The generator itself needs the compiler API of TypeScript 5, which 7 no longer
 * has: that one is installed beside the tests alone, and compiles nothing.
 */
import { execFile } from "node:child_process"
import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import openapiTypeScript, { astToString } from "openapi-typescript"

const ROOT = join(import.meta.dirname, "..", "..", "..")
const COMPILER = join(ROOT, "node_modules", "typescript", "bin", "tsc")

export interface CompileError {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** As TypeScript, for a file that the compiler looks at: it skips declaration files. */
export async function generateTypes(document: string): Promise<string> {
  return astToString(await openapiTypeScript(document))
}

/** Compiles `files` in `folder`, by the project's own settings or others; resolves to what is wrong. */
export async function compile(
  folder: string,
  files: Readonly<Record<string, string>>,
  others: object = {},
): Promise<readonly CompileError[]> {
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction")
  const settings = {
    extends: join(ROOT, "tsconfig.base.json"),
    compilerOptions: { noEmit: true, ...others },
    files: Object.keys(files),
  }
  const sources = { ...files, "tsconfig.json": JSON.stringify(settings), "package.json": PACKAGE }
  await Promise.all(
    Object.entries(sources).map(([name, text]) => writeFile(join(folder, name), text)),
  )
  return parseErrors(await runCompiler(folder))
}

const PACKAGE = JSON.stringify({ type: "module" })

function runCompiler(folder: string): Promise<string> {
  const words = [COMPILER, "--project", folder, "--pretty", "false"]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, words, { cwd: folder }, (error, stdout, stderr) => {
      // It ends with 1 or 2 where there are errors, and they are what was asked for.
      const isAnswered = error === null || (typeof error.code === "number" && error.code <= 2)
      if (isAnswered && stderr === "") resolve(stdout)
      else reject(new Error(`the compiler failed: ${stderr}`, { cause: error }))
    })
  })
}

/** Throws where a line is neither an error nor the rest of one. */
function parseErrors(output: string): readonly CompileError[] {
  return output
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(" "))
    .map((text) => {
      const [, file, line] = /^([^(]+)\((\d+),\d+\): error TS\d+: /.exec(text) ?? []
      if (file === undefined) throw new Error(`no error of a file: ${text}`)
      return { file, line: Number(line), text }
    })
}
