/** A reporter: names the tests that passed only at the second try, so that none of them is hidden. */
export default class SecondTries {
  onTestRunEnd(modules) {
    for (const module of modules)
      for (const test of module.children.allTests())
        if (test.diagnostic()?.flaky) console.log(`passed at the second try: ${module.relativeModuleId} > ${test.fullName}`);
  }
}
