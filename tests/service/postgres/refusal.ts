/** What `serve` says, and how it ends, where it can't serve: one line, and standard output stays empty. */
import assert from "node:assert/strict"
import type { PostgresWorld } from "./postgres-world.ts"

export interface Refusal {
  readonly name: string
  /** After `serve`. */
  readonly words?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly code: number
  readonly says: RegExp
  /** For what only a process shows: what a library reads of its variables, or warns of by itself. */
  readonly isOwnProcess?: true
  /** Warnings of the log may come before, on what was tried again. */
  readonly isLogged?: boolean
}

export async function assertRefused(world: PostgresWorld, refusal: Refusal): Promise<void> {
  const { name, words = [], code, says, environment = world.environment, isLogged } = refusal
  const { isOwnProcess = false } = refusal
  const end = await world.run(["serve", "--port", "0", ...words], { environment, isOwnProcess })
  // What was read and done is told in any case, and that the tests' own server spares its disk.
  const lines = end.stderr
    .trimEnd()
    .split("\n")
    .filter((line) => !line.startsWith('{"level":30') && !line.includes("PostgreSQL runs with "))
  if (isLogged !== true) assert.equal(lines.length, 1, `${name}: ${end.stderr}`)
  const line = lines.at(-1) ?? ""
  assert.match(line, /^safelight: /, name)
  assert.match(line, says, name)
  assert.doesNotMatch(line, /internal error/, name)
  assert.deepEqual([end.code, end.stdout], [code, ""], name)
}

/** Each of them. */
export async function assertAllRefused(
  world: PostgresWorld,
  refusals: readonly Refusal[],
): Promise<void> {
  await Promise.all(refusals.map((refusal) => assertRefused(world, refusal)))
}
