/** The schema that this release works with, the same on every storage. */
export { SCHEMA_VERSION } from "@safelight/store"
