/**
 * What a process of a test's own is started with: the sources as Node itself runs them, and
 * what processes before it have compiled, kept from run to run. Starting one is most of what it costs.
 */
import { join } from "node:path"

export const SOURCE_FLAGS = ["--conditions=@safelight/source"]

/** For `NODE_COMPILE_CACHE`. */
export const COMPILED = join(import.meta.dirname, "../node_modules/.cache/compiled")
