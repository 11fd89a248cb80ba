/**
 * `safelight serve`: runs the service until a signal. Standard output is for people. The line `listening on …`
 * is written once requests are answered, never before.
 */
import type { Service } from "../service/assemble.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { SERVE_OPTIONS } from "../command-line/serve-options.ts"
import type { Configuration } from "../configuration/configuration.ts"
import type { ConfigurationFlags } from "../configuration/load-configuration.ts"
import { EXIT, type ExitCode } from "../errors/exit-code.ts"
import type { JsonLog } from "../service/json-log.ts"
import { isLocal } from "../service/sandbox.ts"

/** How long the end waits for spans to be sent, and for the log's last lines, which perhaps nobody reads. */
const FLUSH_MS = 1_000

export const command = defineCommand({
  name: "serve",
  description: "run the service",
  options: {
    ...SERVE_OPTIONS,
    adopt: flag("accept a copied database, or another place for artifacts, from now on"),
    trustClock: flag("remove what is due at once, though the clock is far ahead of the last sweep"),
  },
  run: ({ options: { adopt, trustClock, ...flags }, context }) => {
    const words = { adopt: adopt === true, trustsClock: trustClock === true }
    return serve(flags, words, context)
  },
})

async function serve(
  flags: ConfigurationFlags,
  words: Pick<Start, "adopt" | "trustsClock">,
  context: CommandContext,
): Promise<void> {
  const { loadConfiguration } = await import("../configuration/load-configuration.ts")
  const { environment, folder } = context
  const configuration = await loadConfiguration({ flags, environment, folder })
  const { createJsonLog } = await import("../service/json-log.ts")
  const { createTracer } = await import("@safelight/tracing-opentelemetry")
  const { systemClock } = await import("@safelight/engine")
  const { checkOpenFiles } = await import("../service/open-files.ts")
  const { printLog } = context
  const tracer = createTracer()
  const log = createJsonLog({
    level: configuration.logLevel,
    tracer,
    ...(printLog && { printLog }),
  })
  // After an uncaught error the state is unknown: the process ends, and a restart continues from the log.
  context.onUncaughtError((error) => {
    log.error({ error }, "uncaught error")
    void end(EXIT.failed)
  })
  await checkOpenFiles(log)
  // From here on a signal stops the service properly, even while it starts.
  const stopAsked = context.waitForStop()
  await run({ configuration, ...words, log }, context, stopAsked)
  await Promise.race([tracer.flush(), systemClock.wait(FLUSH_MS)])
  await end(EXIT.done)

  /** A thread or a socket that is still open must not keep a stopped service alive. */
  async function end(code: ExitCode): Promise<void> {
    await log.flush(FLUSH_MS)
    context.exitNow(code)
  }
}

interface Start {
  readonly configuration: Configuration
  readonly adopt: boolean
  readonly trustsClock: boolean
  readonly log: JsonLog
}

async function run(
  { configuration, adopt, trustsClock, log }: Start,
  context: CommandContext,
  stopAsked: Promise<string>,
): Promise<void> {
  const { createService } = await import("../service/assemble.ts")
  const { toMachineFault } = await import("../errors/machine-fault.ts")
  const service = await createService({
    configuration,
    adopt,
    trustsClock,
    environment: context.environment,
    log,
  }).catch(async (error: unknown) => {
    // The log of the attempt comes before its error.
    await log.flush(FLUSH_MS)
    throw toMachineFault(error)
  })
  const { file = null } = configuration
  // In a stranger's folder it would choose the database and where media may be fetched from.
  log.info({ file }, "configuration")
  try {
    context.print(
      `${await toWelcome(service, configuration, context)}listening on ${service.url}\n`,
    )
    if (needsPublicUrl(configuration)) {
      const advice = "set publicUrl: without it content_url names this machine"
      log.warn({ advice }, "publicUrl missing")
    }
    if (service.hasSandbox && !isLocal(configuration)) {
      const advice = "set studio.sandbox to false: anyone with a key can make a task wait or fail"
      log.warn({ advice }, "sandbox exposed")
    }
    const signal = await stopAsked
    log.info({ signal }, "stop requested")
  } finally {
    await service.stop()
  }
  log.info({}, "stopped")
}

/** The text for people before the line `listening on …`. */
async function toWelcome(
  service: Service,
  configuration: Configuration,
  context: CommandContext,
): Promise<string> {
  const { hasSandbox, metricsUrl } = service
  const { SANDBOX_TEXT } = await import("../text/welcome.ts")
  const metrics = metricsUrl === undefined ? "" : `metrics on ${metricsUrl}/metrics\n`
  const sandbox = hasSandbox && configuration.role !== "api" ? SANDBOX_TEXT : ""
  return `${await toFirstWords(service, configuration, context)}${sandbox}${metrics}`
}

/** The text of a first start. It shows the key on a terminal, and else the file that holds it, for its owner alone. */
async function toFirstWords(
  { operator, publicUrl: url, signIn }: Service,
  configuration: Configuration,
  { isTerminal }: CommandContext,
): Promise<string> {
  const { LATER_START_TEXT, formatFirstStart, WORKER_TEXT } = await import("../text/welcome.ts")
  const { data, models } = configuration
  if (configuration.role === "worker") return WORKER_TEXT
  const key = await operator.accounts.makeFirstKey()
  if (key === undefined) return LATER_START_TEXT
  const start = { key, url, models, hasReference: configuration.reference }
  if (!isTerminal) {
    const { writeKeyFile } = await import("../data/key-file.ts")
    return formatFirstStart({ ...start, file: await writeKeyFile(data, key) })
  }
  if (!configuration.console) return formatFirstStart(start)
  const signInUrl = `${url}/#/sign-in/${await signIn.issue(key.account)}`
  return formatFirstStart({ ...start, signInUrl })
}

/** Whether links would have an address that only this machine can reach; a worker makes no links. */
function needsPublicUrl({ host, publicUrl, role }: Configuration): boolean {
  return role !== "worker" && isWildcard(host) && publicUrl === undefined
}

/** Whether this address means every interface. */
function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::"
}
