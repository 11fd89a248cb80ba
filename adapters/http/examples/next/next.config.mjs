/** Packages that start threads or load native code are left as they are, and not bundled. */
// oxlint-disable-next-line import/no-default-export -- what Next.js reads
export default {
  serverExternalPackages: [
    "@safelight/access",
    "@safelight/artifacts-filesystem",
    "@safelight/channel-studio",
    "@safelight/engine",
    "@safelight/fetch-guarded",
    "@safelight/http",
    "@safelight/storage-sqlite",
  ],
}
