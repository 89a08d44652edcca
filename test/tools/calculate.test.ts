import { describe, expect, test } from 'vitest';
import { calculateTool } from '../../src/tools/calculate/calculate.ts';
import { oneTool } from './one-tool.ts';

describe('calculate', () => {
  const results: [expression: string, result: string][] = [
    ['0.1 + 0.2', '0.3'],
    ['100 * 1.1', '110'],
    ['2^100', '1267650600228229401496703205376'],
    ['2^64 * 2^64 - 1', '340282366920938463463374607431768211455'],
    ['25!', '15511210043330985984000000'],
    ['1/3', '0.33333333333333333333333333333333'],
    ['(1/3) * 3', '1'],
    ['sqrt(2)^2', '2'],
    ['sin(pi)', '0'],
    ['cos(60 deg)', '0.5'],
    ['2^10000', '1.9950631168807583848837421626836e+3010'],
    ['12!/10!', '132'],
    ['17 mod 5', '2'],
    ['80 + 20%', '96'],
    ['5 inch to cm', '12.7 cm'],
    ['36 km/h to m/s', '10 m / s'],
    ['mean([1, 2, 4.5])', '2.5'],
    ['[1, 2; 3, 4] * [5; 6]', '[[17], [39]]'],
    ['a = 3\nb = 4\nsqrt(a^2 + b^2)', '[3, 4, 5]'],
    ['f(x) = x^2; f(3)', '[9]'],
    ['sqrt(-4)', '2i'],
    ['3 > 2', 'true'],
    ['map([1, 2, 3], f(x) = x^2)', '[1, 4, 9]'],
  ];
  test('is exact where it can be', async () => {
    const { run } = await oneTool(calculateTool);
    for (const [expression, result] of results) {
      expect([expression, (await run({ expression })).content]).toEqual([expression, result]);
    }
  });

  // oxfmt-ignore
  const escapes = [
    'import({a: 1}, {})', 'config({})', 'createUnit("foo")', 'evaluate("1")', 'parse("1")', 'parser()',
    'compile("1")', 'chain(1)', 'help(sin)', 'typed("x")', 'reviver()', 'simplify("x")', 'derivative("x^2", "x")',
    'rationalize("x")', 'resolve("x")', 'expression.transform', 'process.env', 'require("fs")', 'globalThis',
    '"a".constructor', 'cos.constructor("return process")()', '{a: 1}.constructor', 'f(x) = x; f.constructor',
    '[].constructor', 'bignumber(1).constructor', 'unit("cm").constructor', '{"constructor": 1}', 'cos["call"]',
  ];
  test('gives no way out of the expression', async () => {
    const { run } = await oneTool(calculateTool);
    for (const expression of escapes) {
      const { status, content } = await run({ expression });
      expect([expression, status]).toEqual([expression, 'error']);
      expect(content).toMatch(/^execution_failed: Cannot calculate ".*": \S/s);
    }
  });

  const floods: [expression: string, reason: RegExp][] = [
    ['1e9!', /takes longer than 2 s$/],
    ['f(n) = n < 2 ? n : f(n - 1) + f(n - 2); f(90)', /takes longer than 2 s$/],
    ['f(x) = f(x + 1); f(1)', /Maximum call stack size exceeded$/],
    ['ones(1e5, 1e5)', /takes (?:too much memory|longer than 2 s)$/],
    ['zeros(4e9)', /takes (?:too much memory|longer than 2 s)$/],
    ['1:1e10', /takes (?:too much memory|longer than 2 s)$/],
    ['"a".padEnd(5e8).split("a")', /Cannot calculate/],
    ['"ab".repeat(9999)', /the result is longer than 10000 characters$/],
  ];
  test.each(floods)('%s ends nothing but the calculation', async (expression, reason) => {
    const { run } = await oneTool(calculateTool);
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 10);
    const { status, content } = await run({ expression });
    clearInterval(ticking);
    expect(status).toBe('error');
    expect(content).toMatch(reason);
    // The worker goes on meanwhile.
    expect(ticks).toBeGreaterThan(3);
    expect((await run({ expression: '1 + 1' })).content).toBe('2');
  });

  test.each([
    ['says what is wrong', '2 +', /Unexpected end of expression/],
    ['knows no variable of an earlier call', 'a', /Undefined symbol a$/],
    ['takes no novels', '1+'.repeat(500) + '1', /^invalid_params/],
    ['takes no empty line', '  ', /^invalid_params/],
  ])('%s', async (_name, expression, reason) => {
    const { run } = await oneTool(calculateTool);
    await run({ expression: 'a = 1' });
    expect((await run({ expression })).content).toMatch(reason);
  });

  test("has nothing of the worker's environment and ends when the call is cancelled", async () => {
    const { run } = await oneTool(calculateTool);
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(new Error('enough')), 300);
    await expect(run({ expression: '1e9!' }, { signal: cancel.signal })).rejects.toThrow('enough');
  });
});
