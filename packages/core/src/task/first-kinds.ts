/**
 * What events of schema 1 could say of a result: images, or one video, and what those use up. Only a result that says
 * more is written as schema 2.
 */
import type { EventData, Usage } from "./events.ts"

/** Of the data of `succeeded`. */
export function isOfFirstKinds(data: unknown): boolean {
  const { artifacts, usage } = data as EventData<"succeeded">
  if (!hasFirstMembers(usage)) return false
  return artifacts.length === 1
    ? isFirst(artifacts[0]?.type)
    : artifacts.every(({ type }) => type === "image")
}

/** Of the data of `failed`. */
export function isOfFirstUsage(data: unknown): boolean {
  const { usage } = data as EventData<"failed">
  return usage === null || hasFirstMembers(usage)
}

function isFirst(type: string | undefined): boolean {
  return type === "image" || type === "video"
}

function hasFirstMembers({ characters, outputAudioMs, tokens }: Usage): boolean {
  return characters === undefined && outputAudioMs === undefined && tokens === undefined
}
