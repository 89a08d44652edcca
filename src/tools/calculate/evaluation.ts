/**
 * What the process of a calculation does; see `SideWork.code`.
 *
 * The functions that are taken away lead out of the expression: into the library itself, its parser, its settings or its
 * documentation. Those of algebra go with them, since they take expressions as text.
 *
 * Whole numbers are shown with all their digits, others rounded to 32 and what is next to nothing as 0, so that the noise
 * in the last of the 256 digits stays unseen.
 */
export const EVALUATION = `({ create }) => {
  const math = create({ number: 'BigNumber', precision: 256, relTol: 1e-60, absTol: 1e-63 });
  const taken = [
    'import', 'config', 'createUnit', 'evaluate', 'parse', 'parser', 'compile', 'chain', 'help', 'typed',
    'reviver', 'replacer', 'simplify', 'simplifyConstant', 'simplifyCore', 'derivative', 'rationalize', 'resolve',
    'symbolicEqual', 'leafCount', 'polynomialRoot', 'expression', 'create', 'factory',
  ];
  for (const name of taken) {
    const value = () => { throw new Error('there is no function ' + name); };
    Object.defineProperty(math.expression.mathWithTransform, name, { value });
  }

  const LENGTH_MAX = 10000;
  const shown = (value) => {
    if (math.typeOf(value) === 'ResultSet') return value.entries.map(shown).join('\\n');
    if (value === undefined || typeof value === 'function') return '[no value]';
    if (typeof value === 'string') return value;
    return math.format(value, number);
  };
  const number = (value) => {
    if (math.typeOf(value) !== 'BigNumber') return math.format(value, { precision: 15 });
    if (value.e < -250) return '0';
    if (value.isInteger() && value.e < 256) return value.toFixed();
    const rounded = value.toSignificantDigits(32);
    return Math.abs(value.e) < 21 ? rounded.toFixed() : rounded.toString();
  };

  return (expression) => {
    try {
      const text = shown(math.evaluate(expression, new Map()));
      if (text.length <= LENGTH_MAX) return { kind: 'result', text };
      return { kind: 'failed', reason: 'the result is longer than ' + LENGTH_MAX + ' characters' };
    } catch (error) {
      return { kind: 'failed', reason: String(error && error.message) };
    }
  };
}`;
