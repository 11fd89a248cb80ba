/**
 * A PostgreSQL database and a bucket of their own, and the command run on them. Whatever any of these
 * commands wrote is searched for the database's password and the bucket's secret key at
 * the end of every test: none may stand in a line, ever.
 */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import type { TestContext } from "node:test"
import { startS3rver } from "../../adapters/artifacts-s3/mended-s3rver.ts"
import type { OlderRelease } from "../../support/older-release.ts"
import { startPgbouncer } from "../../support/pgbouncer.ts"
import { createTestDatabase } from "../../support/test-database.ts"
import {
  beginCommand,
  startCommand,
  readUrl,
  temporaryFolder,
  type CommandEnd,
  type CommandOptions,
  type RunningCommand,
  type Serving,
} from "../command/command-process.ts"

export interface PostgresWorld {
  /** Where the commands run. */
  readonly folder: string
  /** URL of the database, which holds nothing yet; past a pooler. */
  readonly database: string
  /** URL of the bucket, which is empty. */
  readonly bucket: string
  /** What opens the bucket, and nothing else. */
  readonly credentials: Readonly<Record<string, string>>
  /** The same, and both URLs: what a command runs with by default. */
  readonly environment: Readonly<Record<string, string>>
  /** Starts a service on any free port that obeys directives; resolves once it listens. */
  serve(words?: readonly string[], options?: Options): Promise<Serving>
  run(words: readonly string[], options?: Options): Promise<CommandEnd>
  /** Runs a command that has to end with 0 and without a word on standard error; to what it printed. */
  succeed(...words: readonly string[]): Promise<string>
  /** From now on every command is of that release, in a process of its own; of this one without. */
  install(release?: InstalledRelease): void
  /** No command may write this either. */
  addSecret(secret: string): void
}

/** Its command, and where that keeps what it has compiled. */
export type InstalledRelease = Pick<OlderRelease, "bin" | "compiled">

interface Options {
  readonly environment?: Readonly<Record<string, string>>
  readonly isOwnProcess?: boolean
}

interface WorldOptions {
  /** Whether the commands reach the database through a PgBouncer that works by transaction. */
  readonly isPooled?: boolean
}

/** Ends with the test: first the commands, then what they ran on. */
export async function createPostgresWorld(
  t: TestContext,
  { isPooled = false }: WorldOptions = {},
): Promise<PostgresWorld> {
  const folder = await temporaryFolder(t)
  const places = new AsyncDisposableStack()
  const database = places.use(await createTestDatabase())
  const { bucket: name, endpoint } = places.use(await startS3rver()).options
  const bucket = `s3://${name}?endpoint=${endpoint}&region=us-east-1`
  const secretKey = randomBytes(20).toString("hex")
  const credentials = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: secretKey }
  const pooler = isPooled ? places.use(await startPgbouncer(database.url)) : undefined
  const url = pooler?.through(database.url) ?? database.url
  const urls = { SAFELIGHT_DATABASE_URL: url, SAFELIGHT_ARTIFACTS_URL: bucket }
  const environment = { ...urls, ...credentials }
  const secrets = [new URL(database.url).password, secretKey]
  const started: RunningCommand[] = []
  let installed: InstalledRelease | undefined
  t.after(async () => {
    await places.disposeAsync()
    assertSilent(started, secrets)
  })

  function start(words: readonly string[], options: Options = {}): RunningCommand {
    const given = { folder, environment: options.environment ?? environment }
    const isOwnProcess = options.isOwnProcess === true || installed !== undefined
    const command = isOwnProcess
      ? startCommand(words, ofRelease(given, installed))
      : beginCommand(words, given)
    started.push(command)
    return command
  }

  const run = (words: readonly string[], options?: Options): Promise<CommandEnd> =>
    start(words, options).ended

  return {
    folder,
    database: database.url,
    bucket,
    credentials,
    environment,
    async serve(words = [], options) {
      const running = start(["serve", "--port", "0", "--sandbox", ...words], options)
      return { ...running, url: await readUrl(running) }
    },
    run,
    async succeed(...words) {
      const { code, stdout, stderr } = await run(words)
      assert.deepEqual([code, stderr], [0, ""], words.join(" "))
      return stdout
    },
    install(release) {
      installed = release
    },
    addSecret: (secret) => void secrets.push(secret),
  }
}

function ofRelease(options: CommandOptions, release: InstalledRelease | undefined): CommandOptions {
  if (release === undefined) return options
  const { bin, compiled } = release
  return { ...options, bin, environment: { ...options.environment, NODE_COMPILE_CACHE: compiled } }
}

function assertSilent(commands: readonly RunningCommand[], secrets: readonly string[]): void {
  for (const { stdout, stderr } of commands) {
    const written = stdout() + stderr()
    const told = secrets.find((secret) => written.includes(secret))
    assert.equal(told, undefined, `a secret was written: ${written.slice(0, 2_000)}`)
  }
}
