import { greeting } from "../_shared/greeting.ts";
import { part } from "./lib/part.ts";
Deno.serve(() => greeting(part === 1));
