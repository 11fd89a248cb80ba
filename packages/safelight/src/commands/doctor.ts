/** `safelight doctor`: what may keep a service from serving, and what to do. It reads, and buys nothing. */
import { defineCommand } from "../command-line/define-command.ts"
import { durationWithin, parseWebUrl } from "../command-line/option-values.ts"
import { flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { SERVE_OPTIONS } from "../command-line/serve-options.ts"
import { EXIT } from "../errors/exit-code.ts"

/** Longer than a provider takes, and a resolver that tries twice. */
const PATIENCE_MS = 15_000

export const command = defineCommand({
  name: "doctor",
  description: "check what a service needs, say what is wrong and what to do; buys nothing",
  options: {
    ...SERVE_OPTIONS,
    reach: option(
      "<url>",
      "a URL that webhooks should reach (default: https://example.com/)",
      parseWebUrl,
    ),
    timeout: option(
      "<duration>",
      "how long each check may take (default: 15s)",
      durationWithin({ minMs: 1_000, maxMs: 600_000 }),
    ),
    json: flag("print a list of objects"),
  },
  async run({ options: { json, reach, timeout, ...flags }, context }) {
    const { examine } = await import("../doctor/doctor.ts")
    const { PUBLIC_URL } = await import("../doctor/check-way-out.ts")
    const { formatFindings, toFindingRecords } = await import("../text/doctor-text.ts")
    const { clock, environment, folder } = context
    const { findings, isLeft, isMisconfigured } = await examine({
      source: { flags, environment, folder },
      reach: reach ?? PUBLIC_URL,
      patienceMs: timeout ?? PATIENCE_MS,
      ...(clock !== undefined && { clock }),
    })
    printResult({ ...(json !== undefined && { json }) }, context, toFindingRecords(findings), () =>
      formatFindings(findings),
    )
    const isFaulty = findings.some(({ state }) => state === "fault")
    const code = isMisconfigured ? EXIT.refused : isFaulty ? EXIT.failed : EXIT.done
    // A socket that still waits must not keep the command from ending.
    if (isLeft) context.exitNow(code)
    else context.exitWith(code)
  },
})
