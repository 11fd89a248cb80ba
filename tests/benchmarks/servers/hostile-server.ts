/**
 * The whole service as `safelight serve` assembles it, with two accounts of the usual limits, which may
 * also hold artifacts and ask as often as they like; media may be fetched from this machine.
 */
import { createKey } from "@safelight/access"
import { createService, loadConfiguration } from "safelight"
import { announce } from "./announce.ts"

const folder = process.argv[2] ?? ""
const loaded = await loadConfiguration({
  flags: { data: folder, port: "0" },
  environment: { SAFELIGHT_SANDBOX: "false" },
  folder,
})
const configuration = { ...loaded, media: { allowedAddresses: ["127.0.0.1/32"] } }
const { storage, url } = await createService({ configuration })
const now = Date.now()
const { defaults } = configuration.accounts
const settings = {
  ...defaults,
  maxRetentionMs: 100 * 86_400_000,
  rates: { ...defaults.rates, read: null },
}
const keys: Record<string, string> = {}
for (const account of ["hostile", "other"]) {
  await storage.setAccount({ id: account, now, settings })
  keys[account] = (await createKey({ keys: storage, account, now })).key
}
announce({ url, ...keys })
