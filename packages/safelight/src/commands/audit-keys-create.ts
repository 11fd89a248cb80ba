/** `safelight audit keys create`: an operator's key for signing the log's checkpoints. It never leaves its file. */
import { writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { CONFIG_OPTION } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag, optionalArgument, optionWithDefault } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { CommandError, refused } from "../errors/command-error.ts"
import { EXIT } from "../errors/exit-code.ts"

const DEFAULT_FILE = "safelight-signing.key"

export const command = defineCommand({
  name: "audit keys create",
  description: "make the key that signs the log's checkpoints, and show its public part",
  arguments: {
    name: optionalArgument("name of the log, such as media.example/log (default: by publicUrl)"),
  },
  options: {
    out: optionWithDefault("<file>", "the file for the secret, for its owner alone", DEFAULT_FILE),
    json: flag('print {"name","public_key","file"}'),
    config: CONFIG_OPTION,
  },
  async run({ arguments: { name: given }, options, context }) {
    const { isKeyName, isRefusal, toVerifierText } = await import("@safelight/proof")
    const { createSignerKey, openSignerKey } = await import("@safelight/proof/node")
    const name = given ?? (await readName(options, context))
    if (!isKeyName(name)) {
      throw refused("name: expected a host and a path without blanks and '+': media.example/log")
    }
    const secret = createSignerKey(name)
    const signer = openSignerKey(secret)
    if (isRefusal(signer)) throw new TypeError(signer.reason)
    const file = resolve(context.folder, options.out)
    await writeSecret(file, secret)
    const publicKey = toVerifierText(signer.key)
    printResult(options, context, { name, public_key: publicKey, file }, () =>
      formatKey(publicKey, file),
    )
  },
})

async function readName(
  options: { readonly config?: string },
  context: CommandContext,
): Promise<string> {
  const { readConfiguration } = await import("../configuration/load-configuration.ts")
  const { environment, folder } = context
  const { publicUrl } = await readConfiguration({ flags: options, environment, folder })
  if (publicUrl !== undefined) return `${publicUrl.replace(/^https?:\/\//, "")}/log`
  throw refused("no publicUrl is configured: name the log, such as media.example/log")
}

/** A key is never replaced: what it signed could not be continued. */
async function writeSecret(file: string, secret: string): Promise<void> {
  await writeFile(file, `${secret}\n`, { flag: "wx", mode: 0o600, flush: true }).catch(
    (cause: unknown) => {
      const { code } = cause as NodeJS.ErrnoException
      if (code === "EEXIST") throw refused(`${file} is there already; --out names another file`)
      const message = `${file} can't be written (${code})`
      throw new CommandError({ exitCode: EXIT.failed, message, cause })
    },
  )
}

function formatKey(publicKey: string, file: string): string {
  return [
    publicKey,
    "",
    "this is the public key: give it to whoever is to check the log",
    `the secret is in ${file}: keep it away from the database, and a copy where it can't be lost`,
    `with SAFELIGHT_SIGNING_KEY_FILE=${file} \`safelight serve\` signs a checkpoint each minute`,
    "",
  ].join("\n")
}
