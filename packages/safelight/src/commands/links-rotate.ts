/**
 * `safelight links rotate`: makes a new key that signs private links from now on. Links of the previous key still
 * open, those of older keys no longer. Only the id of a key is shown, never its secret.
 */
import { toUnixSeconds } from "@safelight/core"
import { Command } from "commander"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly json?: true
}

export function createLinksRotateCommand(context: CommandContext): Command {
  const command = new Command("rotate")
    .description("sign private links with a new key; links of the previous key still open")
    .option("--json", 'print {"id","created_at"}')
  return addDataOptions(command).action((options: Options) => rotate(options, context))
}

async function rotate(options: Options, context: CommandContext): Promise<void> {
  const { rotateLinkKey } = await import("@safelight/access")
  const { withData } = await import("../open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const key = await withData({ configuration, mayCreate: false }, (storage) =>
    rotateLinkKey(storage, Date.now()),
  )
  const json = { id: key.id, created_at: toUnixSeconds(key.createdAt) }
  const words = `links are signed with key ${key.id} from now on\n`
  context.print(options.json === true ? `${JSON.stringify(json)}\n` : words)
}
