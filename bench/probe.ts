import { measureOverhead } from './overhead.ts';
import { openSetting } from './setting.ts';
const s = await openSetting();
console.log(await measureOverhead(s, 1, 50));
console.log(await measureOverhead(s, 50, 20));
await s.close();
