/** A data folder with finished tasks and a key that signs their log, and what is done with both from the command line. */
import assert from "node:assert/strict"
import { join } from "node:path"
import type { TestContext } from "node:test"
import { createService, DEFAULTS, type Configuration, type Service } from "safelight"
import { runCommand, temporaryFolder, type CommandEnd } from "./command-process.ts"
import { edit, recordTasks, type Recording } from "./recorded-tasks.ts"

export interface House {
  readonly folder: string
  readonly data: string
  readonly key: string
  readonly tasks: readonly string[]
  run(...words: readonly string[]): Promise<CommandEnd>
  /** The same, with the key that signs. */
  sign(...words: readonly string[]): Promise<CommandEnd>
}

/** Three tasks, the last of which ended or still waits. */
export async function createHouse(t: TestContext, last: Recording = edit(1)): Promise<House> {
  const folder = await temporaryFolder(t)
  const data = join(folder, "data")
  const tasks = await recordTasks(data, [edit(2), edit(1), last])
  const run = (...words: readonly string[]) => runCommand(words, { folder })
  const made = await run("audit", "keys", "create", "media.example/log", "--json")
  assert.equal(made.code, 0, made.stderr)
  const { public_key: key } = JSON.parse(made.stdout) as { public_key: string }
  const environment = { SAFELIGHT_SIGNING_KEY_FILE: "safelight-signing.key" }
  const sign = (...words: readonly string[]) => runCommand(words, { folder, environment })
  return { folder, data, key, tasks, run, sign }
}

export function assertEnd(
  { code, stderr, stdout }: CommandEnd,
  expected: number,
  words: RegExp,
): void {
  assert.equal(code, expected, `${stdout}${stderr}`)
  assert.match(`${stdout}${stderr}`, words)
}

export async function withService<Result>(
  settings: Partial<Configuration>,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const configuration = { ...DEFAULTS, port: 0, logLevel: "silent" as const, ...settings }
  const service = await createService({ configuration, adopt: true })
  try {
    return await use(service)
  } finally {
    await service.stop()
  }
}
