/**
 * `safelight stub NAME`: serves a stub of a provider on this machine, with the provider's own paths, to develop
 * against without an account. It prints each purchase that the provider would have billed.
 */
import { SafelightError } from "@safelight/core"
import { defineCommand } from "../command-line/define-command.ts"
import { countWithin } from "../command-line/option-values.ts"
import { argument, optionWithDefault } from "../command-line/parameters.ts"

/** How often it looks for new purchases. */
const LOOK_EVERY_MS = 200

export const command = defineCommand({
  name: "stub",
  description: "serve a stub of a provider on this machine, to develop against without an account",
  arguments: { name: argument("the provider, such as fal or replicate") },
  options: {
    port: optionWithDefault("<number>", "port to listen on, 0 for any", 0, countWithin(0, 65_535)),
  },
  async run({ arguments: { name }, options: { port }, context }) {
    const { STUBS } = await import("@safelight/testkit/stubs")
    const start = Object.hasOwn(STUBS, name) ? STUBS[name] : undefined
    if (start === undefined) {
      const message = `there is no stub of "${name}": choose one of ${Object.keys(STUBS).join(", ")}`
      throw new SafelightError({ code: "invalid-configuration", message })
    }
    await using stub = await start({ port })
    // A reader of this line may stop the stub at once.
    const stopAsked = context.waitForStop()
    context.print(`listening on ${stub.url}\n`)
    let printed = 0
    const looking = setInterval(() => {
      for (const { endpoint, id } of stub.purchases.slice(printed)) {
        context.print(`bought ${endpoint}: ${id}\n`)
      }
      printed = stub.purchases.length
    }, LOOK_EVERY_MS)
    await stopAsked
    clearInterval(looking)
  },
})
