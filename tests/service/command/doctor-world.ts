/** `safelight doctor` as its tests run it: findings by the name of their check, and never a secret in them. */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { TestContext } from "node:test"
import { serve } from "../../support/misbehaving-server.ts"
import {
  runCommand,
  temporaryFolder,
  type CommandEnd,
  type CommandOptions,
} from "./command-process.ts"

export const SECRET = "recognisable-id:recognisable-secret"

export interface Finding {
  readonly check: string
  readonly state: "ok" | "warning" | "fault"
  readonly words: string
  readonly advice: string | null
}

export interface Diagnosis {
  readonly code: number | null
  readonly findings: readonly Finding[]
  /** As `state: words`, of one check. */
  of(check: string): readonly string[]
}

export interface DoctorWorld {
  readonly folder: string
  /** Puts a file beside where the command runs. */
  readonly write: (name: string, content: string | object) => Promise<string>
  readonly diagnose: (
    words?: readonly string[],
    options?: Partial<CommandOptions>,
  ) => Promise<Diagnosis>
}

/** A public address that answers, for a machine that may have none: the guard is told to let it pass. */
export async function startReceiver(t: TestContext): Promise<string> {
  const { origin } = await serve(t, (_, response) => void response.writeHead(405).end())
  return origin
}

export async function createDoctorWorld(t: TestContext): Promise<DoctorWorld> {
  const folder = await temporaryFolder(t)
  return {
    folder,
    async write(name, content) {
      const text = typeof content === "string" ? content : JSON.stringify(content)
      await writeFile(join(folder, name), text)
      return join(folder, name)
    },
    async diagnose(words = [], options = {}) {
      // What no check of these tests needs: nothing may depend on how fast the machine is.
      const patience = words.includes("--timeout") ? [] : ["--timeout", "2m"]
      const reach = words.includes("--reach") ? [] : ["--reach", "http://127.0.0.1:50000"]
      const all = ["doctor", ...words, ...patience, ...reach, "--json"]
      return toDiagnosis(await runCommand(all, { folder, ...options }))
    },
  }
}

export function toDiagnosis({ code, stderr, stdout }: CommandEnd): Diagnosis {
  assert.equal(stderr, "")
  assert.ok(!stdout.includes("recognisable"), stdout)
  const findings = JSON.parse(stdout) as readonly Finding[]
  for (const { advice, state } of findings) assert.equal(advice === null, state === "ok")
  return {
    code,
    findings,
    of: (check) =>
      findings
        .filter((each) => each.check === check)
        .map(({ state, words }) => `${state}: ${words}`),
  }
}
