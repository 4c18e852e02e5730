// Setup of every test file: properties draw the same values in each run, so that what fails was changed. The long run draws new ones.
import { configureGlobal } from 'fast-check';

if (process.env['TOOLWRIGHT_LONG'] === undefined) {
  configureGlobal({ seed: 20_261_130 });
}
