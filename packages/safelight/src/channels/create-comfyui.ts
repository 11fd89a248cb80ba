/** The channel of a ComfyUI server from its settings. It needs no key, but a proxy in front of it may. */
import { createComfyUiChannel } from "@safelight/channel-comfyui"
import { SafelightError, type Channel } from "@safelight/core"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import { listIds } from "./channel-models.ts"
import type { CreateChannelsOptions } from "./create-channels.ts"

/** Undefined if a key is missing. Rejects with `invalid-configuration`, naming the channel. */
export async function createComfyUi(
  settings: ChannelSettings,
  { environment, log, models }: Pick<CreateChannelsOptions, "environment" | "log" | "models">,
): Promise<Channel | undefined> {
  const { baseUrl, concurrency, keyVariable, name = "comfyui", partnerKeyVariable } = settings
  if (settings.keyTtlMs !== undefined) {
    throw invalid(`channel ${name}: keyTtlMs is for providers that honour keys`)
  }
  const keys = [keyVariable, partnerKeyVariable].map((variable) =>
    variable === undefined ? undefined : (environment[variable] ?? ""),
  )
  const [key, partnerKey] = keys
  if (keys.includes("")) {
    const reason = "the variable is empty"
    const variable = key === "" ? keyVariable : partnerKeyVariable
    log.error({ channel: name, variable, reason }, "channel left out")
    return undefined
  }
  return createComfyUiChannel({
    name,
    log,
    workflows: toWorkflows(settings, name),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(concurrency !== undefined && { concurrency }),
    ...(key !== undefined && { key }),
    ...(partnerKey !== undefined && { partnerKey }),
    ...(models !== undefined && { models }),
  })
}

/** The workflows of the models that the channel may make. */
function toWorkflows(settings: ChannelSettings, name: string): Readonly<Record<string, string>> {
  const { workflows = {} } = settings
  const models = listIds(settings)
  if (models === undefined) return workflows
  const missing = models.find((id) => !Object.hasOwn(workflows, id))
  if (missing !== undefined) throw invalid(`channel ${name} has no workflow for ${missing}`)
  return Object.fromEntries(Object.entries(workflows).filter(([id]) => models.includes(id)))
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}
