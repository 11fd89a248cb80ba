/**
 * `safelight stub NAME`: serves a stub of a provider on this machine, with the provider's own paths, to develop
 * against without an account. It prints each purchase that the provider would have billed.
 */
import { SafelightError } from "@safelight/core"
import { Command } from "commander"
import type { CommandContext } from "./command-context.ts"
import { countWithin } from "./option-values.ts"

interface Options {
  readonly port: number
}

export function createStubCommand(context: CommandContext): Command {
  return new Command("stub")
    .description(
      "serve a stub of a provider on this machine, to develop against without an account",
    )
    .argument("<name>", "the provider, such as fal or replicate")
    .option("--port <number>", "port to listen on, 0 for any", countWithin(0, 65_535), 0)
    .action((name: string, options: Options) => serveStub(name, options, context))
}

/** How often it looks for new purchases. */
const LOOK_EVERY_MS = 200

async function serveStub(name: string, { port }: Options, context: CommandContext): Promise<void> {
  const { STUBS } = await import("@safelight/testkit/stubs")
  const start = Object.hasOwn(STUBS, name) ? STUBS[name] : undefined
  if (start === undefined) {
    const message = `there is no stub of "${name}": choose one of ${Object.keys(STUBS).join(", ")}`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  await using stub = await start({ port })
  // Whoever reads that it listens may stop it at once.
  const stopAsked = context.waitForStop()
  context.print(`listening on ${stub.url}\n`)
  let told = 0
  const looking = setInterval(() => {
    for (const { endpoint, id } of stub.purchases.slice(told))
      context.print(`bought ${endpoint}: ${id}\n`)
    told = stub.purchases.length
  }, LOOK_EVERY_MS)
  await stopAsked
  clearInterval(looking)
}
