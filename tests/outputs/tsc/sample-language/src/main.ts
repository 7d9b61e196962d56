import App from "./App.vue";
export default App;
