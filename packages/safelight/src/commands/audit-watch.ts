/** `safelight audit watch`: looks at the signed log of a service now and then, and tells if it ever contradicts itself. */
import { readFile, rename, writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { isSafelightError } from "@safelight/core"
import { AUDIT_EXIT, orUntold } from "../audits/audit-outcome.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { durationWithin, parseWebUrl } from "../command-line/option-values.ts"
import {
  argument,
  flag,
  option,
  optionWithDefault,
  requiredOption,
} from "../command-line/parameters.ts"
import { refused } from "../errors/command-error.ts"
import type { SeenCheckpoint } from "../proofs/follow-log.ts"
import type { LogKeyList } from "../proofs/open-document.ts"
import { formatOneLine } from "../text/one-line.ts"

interface WatchOptions {
  readonly key: string
  readonly state?: string
  readonly every: number
  readonly once?: true
}

export const command = defineCommand({
  name: "audit watch",
  description: "watch the signed log of a service from outside, until it contradicts itself",
  arguments: { url: argument("the service's address", parseWebUrl) },
  options: {
    key: requiredOption("<key>", "the log's public key, or a file with it"),
    state: option("<file>", "keeps the last checkpoint that was seen from one run to the next"),
    every: optionWithDefault(
      "<duration>",
      "how often to look (default: 1m)",
      60_000,
      durationWithin({ minMs: 1_000, maxMs: 86_400_000 }),
    ),
    once: flag("look once: ends with 0 if the log extends what was seen"),
  },
  run: ({ arguments: { url }, options, context }) => orUntold(() => watch(url, options, context)),
})

async function watch(url: string, options: WatchOptions, context: CommandContext): Promise<void> {
  const { lookAtLog } = await import("../proofs/follow-log.ts")
  const { readKey } = await import("../proofs/open-document.ts")
  const { createRemoteLog } = await import("../proofs/remote-log.ts")
  const keys = await readKey(options.key, context)
  const state = options.state === undefined ? undefined : resolve(context.folder, options.state)
  const remote = createRemoteLog(url)
  const stopped = context.waitForStop()
  let last = state === undefined ? undefined : await readState(state, keys)
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    const look = await lookAtLog(remote, keys, last).catch((error: unknown) => {
      if (options.once === true || !isSafelightError(error)) throw error
      context.printError(`${formatOneLine(error.message)}\n`)
      return undefined
    })
    if (look?.kind === "contradicted") {
      context.print(look.notes.join("\n"))
      context.printError(`${formatOneLine(look.why)}\n`)
      return context.exitWith(AUDIT_EXIT.differs)
    }
    if (look !== undefined && look.checkpoint.note !== last?.note) {
      last = look.checkpoint
      // oxlint-disable-next-line no-await-in-loop -- see above
      if (state !== undefined) await writeState(state, last)
      context.print(`${last.size} events\n`)
    }
    if (options.once === true) return undefined
    // oxlint-disable-next-line no-await-in-loop -- see above
    if ((await Promise.race([stopped, wait(options.every)])) !== undefined) return undefined
  }
}

/** Rejects with a `CommandError` if the file is no checkpoint of the log. */
async function readState(path: string, keys: LogKeyList): Promise<SeenCheckpoint | undefined> {
  const { isRefusal } = await import("@safelight/proof")
  const { openSeen } = await import("../proofs/follow-log.ts")
  const { unreadable } = await import("../data/import-source.ts")
  const note = await readFile(path, "utf8").catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw unreadable(path, cause)
  })
  if (note === undefined) return undefined
  const seen = await openSeen(note, keys)
  if (isRefusal(seen)) throw refused(`${path}: ${seen.reason}`)
  return seen
}

/** Whole or as it was before. */
async function writeState(path: string, { note }: SeenCheckpoint): Promise<void> {
  await writeFile(`${path}.partial`, note, { flush: true })
  await rename(`${path}.partial`, path)
}
