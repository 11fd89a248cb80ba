/** The keys of a storage: locators of artifacts, and the two folders that no task's name leads to. */
import { hash } from "node:crypto"
import { toArtifactFolder } from "@safelight/core"

/** Written once, and no sweep removes it. */
export const MARK_KEY = ".safelight/mark"

/** Holds an object for as long as a check takes. */
export const CHECK_FOLDER = ".check"

export function toHash(name: string): string {
  return hash("sha256", name)
}

/** What the locators of a task begin with, and no others do. */
export function toTaskPrefix(task: string): string {
  return `${toArtifactFolder(task, toHash)}/`
}
