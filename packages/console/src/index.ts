/** What the service takes from the console: the folder of its files. The page's own entry is `main.tsx`. */
export { consoleFolder } from "./console-folder.ts"
