/**
 * Which requests a studio takes that was given nothing to open media with, or nothing to measure videos and
 * sounds with: those that refer to none. A studio that has both takes every request, and is not asked.
 */
import type { Channel, Ineligible } from "@safelight/core"
import type { StudioSettings } from "./options.ts"

const NEEDS_MEDIA = ["image_urls", "video_urls", "audio_urls"]
const NEEDS_INSPECTOR = ["video_urls", "audio_urls"]

export function createEligibility({
  inspector,
  media,
}: Pick<StudioSettings, "inspector" | "media">): Pick<Channel, "accepts"> {
  if (media === undefined) return refuse(NEEDS_MEDIA, "the studio was given no media source")
  if (inspector === undefined) return refuse(NEEDS_INSPECTOR, "the studio was given no inspector")
  return {}
}

function refuse(names: readonly string[], reason: string): Pick<Channel, "accepts"> {
  return {
    accepts({ parameters }): true | Ineligible {
      const param = names.find((name) => isFilled(parameters[name]))
      return param === undefined || { kind: "ineligible", reason, param }
    },
  }
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}
