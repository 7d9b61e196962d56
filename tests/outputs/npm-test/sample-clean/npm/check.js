console.log("2 of 2 well");
