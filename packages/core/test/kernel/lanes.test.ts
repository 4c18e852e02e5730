import { expect, test } from 'vitest';
import { Lanes } from '../../src/kernel/lanes.ts';
import { Stop } from '../../src/kernel/stop.ts';

test('who waited behind one that gave up starts when there is room, and not before', async () => {
  const lanes = new Lanes();
  const place = await lanes.enter('tool', 1, new Stop());
  const impatient = new Stop();
  const alone = lanes.enter('tool', 1, impatient);
  const started: string[] = [];
  const enter = async (name: string, limit: number) => {
    const again = await lanes.enter('tool', limit, new Stop());
    started.push(name);
    return again;
  };
  const beside = enter('beside', 2);
  const behind = enter('behind', 2);
  impatient.abort(new Error('gave up'));
  await expect(alone).rejects.toThrow('gave up');
  const placeBeside = await beside;
  expect(started).toEqual(['beside']);
  place.release();
  const placeBehind = await behind;
  placeBeside.release();
  placeBehind.release();
  expect(lanes.size).toBe(0);
});
